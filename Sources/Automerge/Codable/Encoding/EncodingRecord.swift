/// A reference to a value that can be one of a document.
protocol BindableElement: AnyObject {
  /// The document the instance is bound to, or nil.
  var doc: Document? { get }
}

/// What one call of an encoder remembers of the texts and counters it writes.
///
/// None is bound before all are written. A list that got a new first element is written over the old
/// one, which may be what an instance that comes later is bound to: what that instance is, the
/// document tells as it was before the call.
final class EncodingRecord {
  private struct Occurrence {
    /// Whether the instance was written where it is bound already.
    var isInPlace: Bool
    let bind: () -> Void
  }

  /// A copy of the document as it was before the call.
  let before: Document
  let document: Document
  private var occurrences: [ObjectIdentifier: Occurrence] = [:]

  init(of document: Document) {
    self.document = document
    before = document.read { (state: borrowing DocumentState) in Document(copy state) }
  }

  /// Notes that an instance was written: `bind` binds it to that place. Of several places it keeps the
  /// one that it has, or gets the first.
  func note(_ instance: some BindableElement, isInPlace: Bool, bind: @escaping () -> Void) {
    // What belongs to another document stays there and was copied.
    guard instance.doc == nil || instance.doc === document else { return }
    let id = ObjectIdentifier(instance)
    if isInPlace || occurrences[id] == nil {
      occurrences[id] = Occurrence(isInPlace: isInPlace, bind: bind)
    }
  }

  /// Binds every instance to where it was written.
  func bindAll() {
    for occurrence in occurrences.values where !occurrence.isInPlace { occurrence.bind() }
  }
}
