import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// A document that is talked about.
struct DocumentTalk: Sendable {
  /// What the talk came to.
  struct Outcome: Sendable {
    var path: RelativePath
    /// What arrived; nil if that is nothing, or nothing that may be written.
    var arrival: ArrivedDocument?
    /// What both sides have now, if they say so of each other.
    var agreement: SyncMemory.Document?
    /// How many changes the other side got.
    var sentCount = 0
    var findings: [Finding] = []
  }

  private let plan: SyncPlan.Document
  private var conversation: SyncConversation
  private var document: DocumentState
  /// What the document held when the talk began.
  private let oldHeads: [ChangeHash]
  private let oldCount: Int
  /// Why nothing more is said about it.
  private var defect: Finding?

  /// Begins to talk about a document of this side, or one that it does not have yet.
  ///
  /// - Parameter shared: the heads that both sides remember to have had.
  init(
    _ plan: SyncPlan.Document, sharing shared: [ChangeHash], in inventory: FolderInventory,
    with loader: inout DocumentLoader
  ) {
    self.plan = plan
    conversation = SyncConversation(sharedHeads: shared)
    document = DocumentState()
    if plan.here != nil {
      do throws(DocumentDefect) {
        guard let file = inventory.file(at: plan.path) else {
          throw DocumentDefect(.missing(path: ""), file: 0, path: plan.path.description)
        }
        document = try loader.load(file).document
      } catch {
        defect = error.finding
      }
    }
    oldHeads = document.heads
    oldCount = document.changeCount
  }

  /// Returns the next message about it; nil if there is nothing to say.
  mutating func nextMessage() -> [UInt8]? {
    defect == nil ? conversation.nextMessage(from: document) : nil
  }

  /// Takes in a message. What cannot be taken in ends the talk, and what came before stays good.
  mutating func receive(_ message: [UInt8]) {
    guard defect == nil else { return }
    do throws(FormatError) {
      try conversation.receive(message, into: &document)
    } catch {
      defect = Finding(
        .notSynced, .error, path: plan.path.description,
        message: "the other side sent what cannot be taken in: \(error.problem)",
        next: "run inspect-crdt --check on the document of the other side", offset: error.offset)
    }
  }

  /// Ends the talk.
  func outcome(in kinds: EntityKinds) -> Outcome {
    var outcome = Outcome(path: plan.path)
    if let defect { outcome.findings.append(defect) }
    let isInAgreement = defect == nil && conversation.isInAgreement(with: document)
    if defect == nil, !isInAgreement {
      outcome.findings.append(
        Finding(
          .notSynced, .warning, path: plan.path.description,
          message: "the sides did not come to an end about it", next: "run the command again"))
    }
    if isInAgreement, hides(in: kinds) {
      outcome.findings.append(unrelated)
      return outcome
    }
    if isInAgreement {
      outcome.agreement = SyncMemory.Document(
        heads: document.heads, changeCount: document.changeCount)
      outcome.sentCount = max(0, document.changeCount - (plan.there?.changeCount ?? 0))
    }
    if document.changeCount > oldCount {
      outcome.arrival = ArrivedDocument(
        path: plan.path, changes: document.chunks(since: oldHeads, isCompressed: false),
        hashes: (oldCount..<document.changeCount).map(document.hash(ofChange:)))
    }
    return outcome
  }

  /// Whether both sides made objects of the same entities, each apart from the other: readers would see
  /// those of one side and never those of the other.
  private func hides(in kinds: EntityKinds) -> Bool {
    guard let here = plan.here, let there = plan.there, here.changeCount > 0,
      there.changeCount > 0, here.changeCount + there.changeCount == document.changeCount
    else { return false }
    let root = DocumentRoot(document, of: kinds.kind(ofDocumentIn: plan.path), kinds)
    return root.isRecord || root.entities.contains { $0.valueCount > 1 }
  }

  private var unrelated: Finding {
    Finding(
      .unrelatedCopy, .error, path: plan.path.description,
      message: "shares no change with the document of the other side, and one would hide what the "
        + "other holds; neither was changed",
      next: "copy that document here under a name such as \"NAME 2.automerge\", then run "
        + "merge-conflicts --unify")
  }
}

/// Changes of a document that the other side sent.
struct ArrivedDocument: Sendable {
  var path: RelativePath
  /// The chunks, one behind the other.
  var changes: [UInt8]
  var hashes: [ChangeHash]
}
