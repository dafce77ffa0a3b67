/// Two points of a document's history, and where it differs between them.
///
/// An object because it is asked at each key: a copy of a document is a reference for each of its
/// parts.
final class ComparedPoints {
  let document: DocumentState
  /// A nil view stands for the present.
  let before: HistoricalView?
  let after: HistoricalView?
  let touched: TouchedObjects

  init(
    _ document: DocumentState, _ before: Set<ChangeHash>, _ after: Set<ChangeHash>
  ) throws(FormatError) {
    self.document = document
    self.before = document.view(at: before)
    self.after = document.view(at: after)
    let (old, new) = (
      document.history.ancestors(of: before), document.history.ancestors(of: after)
    )
    touched = try TouchedObjects(old.indices.filter { old[$0] != new[$0] }, of: document)
  }
}
