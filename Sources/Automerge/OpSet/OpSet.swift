/// All operations of a document but its deletes, in document order (format.md 4.4): by object; in a
/// map by key, then id; in a list or text by sequence, each element's insert before what was done
/// to the element later.
///
/// What lies together is read together: the operations of one key or one element are neighbours.
struct OpSet: Sendable {
  /// An object and where its operations are.
  struct Object: Sendable {
    let id: OpID
    let kind: ObjectKind
    var rows: Range<Int>
  }

  var operations: [Operation]
  var successors: [OpID]
  /// The bytes of keys, values and mark names.
  var pool: [UInt8]
  /// Ascending by id; the root is first.
  var objects: [Object]

  /// The operations of a document without changes.
  init() {
    operations = []
    successors = []
    pool = []
    objects = [Object(id: .root, kind: .map, rows: 0..<0)]
  }

  /// The caller guarantees the order that the type describes.
  init(operations: [Operation], successors: [OpID], pool: [UInt8], objects: [Object]) {
    self.operations = operations
    self.successors = successors
    self.pool = pool
    self.objects = objects
  }

  /// Returns the object with an id, or nil if nothing ever made it. Logarithmic.
  func object(_ id: OpID) -> Object? {
    guard let index = objects.index(ofObject: id) else { return nil }
    return objects[index]
  }
}

extension [OpSet.Object] {
  /// Binary search by id.
  func index(ofObject id: OpID) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) >> 1
      if self[middle].id < id { low = middle &+ 1 } else { high = middle }
    }
    return low < count && self[low].id == id ? low : nil
  }
}
