import Automerge
import Diagnostics
import FolderDocuments
import Runs

/// A person's decision between the values of one field, as one change of the document.
///
/// What is decided is written anew, over every value that is there. So another decision that somebody
/// makes elsewhere at the same time is a conflict again, and nothing is lost between the two. Only a
/// map, list, text or counter that readers see already stays itself, and the others are deleted: edits
/// that others make in it still come in. It wins over each of those, so of any number of decisions at
/// least one value is left.
struct ConflictDecision {
  /// The document with the decision.
  let document: DocumentState
  /// The change that it is.
  let change: ChangeHash

  private let before: DocumentState
  private let path: [String]
  /// What the field is to have: of a value that was there everything that readers see of it.
  private let expected: [UInt8]?

  /// Decides about the values of a field.
  ///
  /// - Parameters:
  ///   - path: the way from the root to the field.
  ///   - seconds: when, since 1970.
  ///   - message: what the change says of itself.
  init(
    _ chosen: ChosenValue, at place: FieldPlace, path: [String], in document: DocumentState,
    seconds: Int64, message: String
  ) throws(MigrationError) {
    before = document
    self.path = path
    expected =
      if case .existing(let value) = chosen { try document.comparableJSON(of: value) } else { nil }
    var change: UpdateChange
    do {
      change = try UpdateChange(onto: document, time: seconds, message: Array(message.utf8))
    } catch {
      throw .brokenInvariant("no change fits the document: \(error.problem)")
    }
    switch place.key {
    case .name(let key): try Self.write(chosen, place, key, of: document, to: &change)
    case .element(let id): try Self.write(chosen, place, element: id, of: document, to: &change)
    }
    var decided = document
    do {
      try change.applyDecision(to: &decided)
    } catch {
      throw .brokenInvariant("the document does not accept the decision: \(error.problem)")
    }
    self.document = decided
    self.change = change.draft.hash
  }

  /// Returns why a value cannot be written in a place; nil if it can.
  static func obstacle(
    to chosen: ChosenValue, at place: FieldPlace, in document: DocumentState
  ) -> ChosenValue.Refusal? {
    guard case .existing(let value) = chosen, case .object = value.content,
      value.id != place.values.last?.id
    else { return nil }
    return CopyLoss.first(in: value, of: document, countsValues: true).map {
      ChosenValue.Refusal(
        problem: $0.problem, remedy: "keep the other one with --keep-this, or decide with the app")
    }
  }

  // MARK: Writing

  private static func staysItself(_ value: DocumentValue, at place: FieldPlace) -> Bool {
    guard value.id == place.values.last?.id else { return false }
    if case .scalar(let scalar) = value.content { return scalar.type == .counter }
    return true
  }

  private static func write(
    _ chosen: ChosenValue, _ place: FieldPlace, _ key: [UInt8], of document: DocumentState,
    to change: inout UpdateChange
  ) throws(MigrationError) {
    let map = change.reference(to: place.object, of: document)
    let all = change.predecessors(in: place.group, of: document)
    switch chosen {
    case .existing(let value) where staysItself(value, at: place):
      change.draft.delete(in: map, key: key.span, predecessors: Array(all.dropLast()))
    case .existing(let value):
      var copier = ValueCopier(
        change.draft, of: document, to: map, at: .key(key), replacing: all)
      try StateWalk(document: document, view: nil).visit(value, with: &copier)
      change.draft = copier.draft
    case .scalar(let value):
      change.draft.set(value, in: map, key: key.span, predecessors: all)
    case .string(let bytes):
      change.draft.set(.string, bytes.span, in: map, key: key.span, predecessors: all)
    case .text(let bytes):
      let text = change.draft.makeObject(.text, in: map, key: key.span, predecessors: all)
      change.draft.insertText(bytes.span, in: text)
    }
  }

  private static func write(
    _ chosen: ChosenValue, _ place: FieldPlace, element id: OpID, of document: DocumentState,
    to change: inout UpdateChange
  ) throws(MigrationError) {
    let list = change.reference(to: place.object, of: document)
    let element = change.reference(to: id, of: document)
    let all = change.predecessors(in: place.group, of: document)
    switch chosen {
    case .existing(let value) where staysItself(value, at: place):
      change.draft.delete(in: list, element: element, predecessors: Array(all.dropLast()))
    case .existing(let value):
      var copier = ValueCopier(
        change.draft, of: document, to: list, at: .element(element), replacing: all)
      try StateWalk(document: document, view: nil).visit(value, with: &copier)
      change.draft = copier.draft
    case .scalar(let value):
      change.draft.set(value, in: list, element: element, predecessors: all)
    case .string(let bytes):
      change.draft.set(.string, bytes.span, in: list, element: element, predecessors: all)
    case .text(let bytes):
      let text = change.draft.makeObject(
        .text, in: list, element: element, predecessors: all)
      change.draft.insertText(bytes.span, in: text)
    }
  }

  // MARK: Proof

  /// Returns the bytes of the document with the decision, and what they must prove as they are on disk.
  func result(replacing file: MergeFile) -> MergeResult {
    var acceptance = MergeAcceptance()
    acceptance.add(before)
    acceptance.add(change, to: before)
    let decision = self
    let accepted = acceptance
    return MergeResult(bytes: document.encoded(), replaced: file.version) { bytes in
      decision.defect(of: bytes, accepted)
    }
  }

  /// The result holds every change that was there and this one; every other value is as it was, and
  /// the field has one value.
  private func defect(of bytes: [UInt8], _ acceptance: MergeAcceptance) -> String? {
    do throws(FormatError) {
      let result = try DocumentState(loading: bytes, besides: before)
      if let defect = acceptance.defect(of: result) { return defect }
      guard let values = FieldPlace.at(path, in: result)?.values, values.count == 1 else {
        return "the field would still have several values"
      }
      do throws(MigrationError) {
        if let expected, try result.comparableJSON(of: values[0]) != expected {
          return "the field would have another value than the one to keep"
        }
        let comparison = try DocumentComparison(before, result)
        let isElsewhere = comparison.differences.contains { !$0.path.starts(with: path) }
        return isElsewhere ? "another value would change" : nil
      } catch {
        return error.diagnostic.problem
      }
    } catch {
      return error.problem
    }
  }

  /// What the field has once it is decided.
  func kept() throws(MigrationError) -> ReportValue {
    guard let value = FieldPlace.at(path, in: document)?.values.last else { return .null }
    return try document.reportValue(of: value)
  }
}
