/// The values of a map that is decoded: those of a small one at once, of any other as they are asked for,
/// or all of them once its keys were.
final class MapValues {
  /// So many entries cost about as much together as a few of them one by one.
  private static let smallCount = 32

  private let document: Document
  private let object: ObjId
  /// All entries, ascending by the UTF-8 of their keys.
  private var entries: [(String, Value)]?

  init(of object: ObjId, in document: Document) {
    (self.document, self.object) = (document, object)
    // The object is a map of this document, so reading it cannot fail.
    entries = try? document.read { state in
      try state.entries(object, at: nil, upTo: Self.smallCount)
    }
  }

  /// The keys, ascending by their UTF-8.
  var keys: [String] {
    // As above.
    if entries == nil { entries = try? document.mapEntries(obj: object) }
    return entries?.map(\.0) ?? []
  }

  /// Returns the value at a key, or nil.
  func value(at key: String) throws -> Value? {
    guard let entries else { return try document.get(obj: object, key: key) }
    // By their bytes: strings that Swift takes for equal are two keys.
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].0.utf8.lexicographicallyPrecedes(key.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < entries.count, entries[low].0.utf8.elementsEqual(key.utf8) else { return nil }
    return entries[low].1
  }
}
