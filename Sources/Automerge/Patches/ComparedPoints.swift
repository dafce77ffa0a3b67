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

  /// - Parameter document: what it knows of where elements are may grow.
  init(
    _ document: inout DocumentState, _ before: Set<ChangeHash>, _ after: Set<ChangeHash>
  ) throws(FormatError) {
    let history = document.history
    self.after = document.view(at: after)
    if self.after == nil {
      // What it costs is in what is new.
      let rows = history.rows(notCoveredBy: before)
      self.before = rows.isEmpty ? nil : HistoricalView(clock: history.clock(without: rows))
      var touched = try TouchedObjects(rows, of: document)
      touched.findPlaces(in: &document.operations)
      self.touched = touched
    } else {
      self.before = document.view(at: before)
      let (old, new) = (history.ancestors(of: before), history.ancestors(of: after))
      touched = try TouchedObjects(old.indices.filter { old[$0] != new[$0] }, of: document)
    }
    self.document = document
  }

  /// Calls `body` with the groups of a list or text, in order, but for those in which both points show
  /// the same; `pass` with how many units of these readers see in between.
  ///
  /// - Parameter isNew: whether the point before has no such list or text.
  func forEachGroup(
    of sequence: OpID, isNew: Bool, passing pass: (_ width: Int) -> Void,
    _ body: (OpSet.Group) -> Void
  ) {
    let operations = document.operations
    // Of the past no sums are known.
    guard !isNew, let places = touched.places(in: sequence) else {
      operations.forEachGroup(of: sequence, body)
      return
    }
    var start = operations.start(of: sequence)
    for place in places {
      let width = operations.width(from: start, to: place)
      if width > 0 { pass(width) }
      let group = operations.group(from: place)
      body(group)
      start = group.end
    }
    let width = operations.width(from: start, to: operations.end(of: sequence))
    if width > 0 { pass(width) }
  }
}
