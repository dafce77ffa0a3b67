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
    /// What is to be written; nil if nothing arrived, or nothing that may be written.
    var arrival: ArrivedDocument?
    /// What both sides have now, if they say so of each other.
    var agreement: HeadList?
    /// How many changes the other side got.
    var sentCount = 0
    /// How many bytes the changes are that arrived.
    var changeByteCount = 0
    /// Whether what arrived was not accepted.
    var isRejected = false
    var findings: [Finding] = []
  }

  private let plan: SyncPlan.Document
  private var conversation: SyncConversation
  private var document = DocumentState()
  /// What the result is judged by, once something came of which there is one.
  private var acceptance = MergeAcceptance()
  /// The document as it was loaded, once something came.
  private var former: DocumentState?
  /// The file of this side when the talk began; nil if there was none.
  private var base: ContentHash?
  /// What the document held when the talk began.
  private let oldHeads: [ChangeHash]
  private let oldCount: Int
  /// Why nothing more is said about it.
  private var defect: Finding?

  /// Begins to talk about a document of this side, or one that it does not have yet.
  ///
  /// - Parameter shared: the heads that both sides remember to have had.
  init(
    _ plan: SyncPlan.Document, sharing shared: HeadList?, with loader: inout DocumentLoader
  ) {
    self.plan = plan
    conversation = SyncConversation(sharedHeads: shared?.hashes ?? [])
    if plan.here != nil {
      do throws(DocumentDefect) {
        guard let file = loader.inventory.file(at: plan.path) else {
          throw DocumentDefect(.missing(path: ""), file: 0, path: plan.path.description)
        }
        let (loaded, state) = try loader.load(file)
        (document, base) = (loaded, loader.version(state).hash)
      } catch {
        defect = error.finding
      }
    }
    oldHeads = document.heads
    oldCount = document.changeCount
  }

  /// Returns the next message about it; nil if there is nothing to say, or what there is does not fit
  /// into a frame, which ends the talk.
  mutating func nextMessage() -> [UInt8]? {
    guard defect == nil, let message = conversation.nextMessage(from: document) else { return nil }
    if message.count < Frame.greatestMessage { return message }
    defect = Finding(
      .notSynced, .error, path: plan.path.description,
      message: "has more to tell the other side than a message can hold",
      next:
        "copy the document to the other side under a name such as \"NAME 2.automerge\", then run "
        + "merge-conflicts there")
    return nil
  }

  /// Takes in a message. What cannot be taken in ends the talk, and what came before stays good.
  mutating func receive(_ message: [UInt8]) {
    guard defect == nil else { return }
    do throws(FormatError) {
      let message = try conversation.read(message)
      if message.hasChanges, former == nil {
        // Whoever only gives is not asked what it shows.
        acceptance.add(document)
        former = document
      }
      try conversation.receive(message, into: &document)
    } catch {
      defect = Finding(
        .notSynced, .error, path: plan.path.description,
        message: "the other side sent what cannot be taken in: \(error.problem)",
        next: "run inspect-crdt --check on the document of the other side", offset: error.offset)
    }
  }

  /// Ends the talk: what is to be written is built and judged.
  consuming func outcome(in inventory: FolderInventory) -> Outcome {
    var outcome = Outcome(path: plan.path)
    if let defect { outcome.findings.append(defect) }
    let missing = conversation.countMissingThere(in: document, ofFirst: oldCount)
    if missing == oldCount, hidesObjects(in: inventory.kinds) {
      outcome.findings.append(unrelated)
      return outcome
    }
    if defect == nil, conversation.isInAgreement(with: document) {
      outcome.sentCount = missing
      // What differs although no change is missing are changes that wait for others, which a side tells.
      let isExchanged = missing > 0 || document.changeCount > oldCount
      if isExchanged, document.queuedCount == 0 {
        outcome.agreement = HeadList(document.heads)
      }
    } else if defect == nil {
      outcome.findings.append(
        Finding(
          .notSynced, .warning, path: plan.path.description,
          message: "the sides did not come to an end about it", next: "run the command again"))
    }
    guard document.changeCount > oldCount else { return outcome }
    let hidden = hiddenObjects(in: inventory)
    build(&outcome)
    if outcome.arrival != nil { outcome.findings += hidden }
    return outcome
  }

  private mutating func build(_ outcome: inout Outcome) {
    let hashes = (oldCount..<document.changeCount).map(document.hash(ofChange:))
    outcome.changeByteCount = document.chunks(since: oldHeads, isCompressed: false).count
    let bytes = document.encoded()
    // It is loaded once more below.
    document = DocumentState()
    acceptance.add(changes: hashes)
    if let defect = acceptance.defect(of: bytes, besides: former ?? DocumentState()) {
      (outcome.agreement, outcome.isRejected) = (nil, true)
      outcome.findings.append(.unaccepted(plan.path, because: defect))
    } else {
      outcome.arrival = ArrivedDocument(
        path: plan.path, bytes: bytes, changesAdded: hashes.count, base: base)
    }
  }

  /// Whether both sides made objects of the same entities, each apart from the other: readers would see
  /// those of one side and never those of the other.
  private func hidesObjects(in kinds: EntityKinds) -> Bool {
    guard oldCount > 0, document.changeCount > oldCount else { return false }
    let root = DocumentRoot(document, of: kinds.kind(ofDocumentIn: plan.path), kinds)
    return root.isRecord || root.entities.contains { $0.valueCount > 1 }
  }

  /// Whether a change has arrived that was made without knowing all that this side had: what is made on top
  /// of everything hides nothing of it.
  private var bringsConcurrentChanges: Bool {
    let old = Set(oldHeads)
    return (oldCount..<document.changeCount).contains { row in
      let dependencies = document.change(at: row).dependencies
      let isBehindOthers = dependencies.contains { hash in
        document.row(ofChange: hash).map { $0 >= oldCount } ?? false
      }
      return !isBehindOthers && !old.isSubset(of: dependencies)
    }
  }

  /// Tells what readers of this side lose from sight, or never see, once the changes are written.
  private func hiddenObjects(in inventory: FolderInventory) -> [Finding] {
    guard oldCount > 0, bringsConcurrentChanges else { return [] }
    let (kinds, path) = (inventory.kinds, plan.path)
    return HiddenObjects(in: document, since: oldCount, kinds.kind(ofDocumentIn: path), kinds)
      .findings(at: path, in: inventory)
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

/// A document with the changes that the other side sent, built and judged.
struct ArrivedDocument: Sendable {
  var path: RelativePath
  var bytes: [UInt8]
  var changesAdded: Int
  /// The file that it was built upon; nil if there was none.
  var base: ContentHash?
}

extension Finding {
  /// Tells that a result does not hold what it should.
  static func unaccepted(_ path: RelativePath, because defect: String) -> Finding {
    Finding(
      .kept, .error, path: path.description, message: "was not written: \(defect)",
      next: "nothing was changed; report this with the documents of both sides")
  }
}
