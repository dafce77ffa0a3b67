import Automerge

/// Everything the public interface reads from a document, as one number to compare.
struct Reading: Equatable {
  private var hasher = Hasher()
  private let document: Document
  private let heads: Set<ChangeHash>?
  private(set) var digest = 0

  static func == (left: Reading, right: Reading) -> Bool { left.digest == right.digest }

  /// Reads the present, or what was there at `heads`.
  init(_ document: Document, at heads: Set<ChangeHash>? = nil) throws(Oracle.Loss) {
    self.document = document
    self.heads = heads
    // A list of what is left to read: nesting is as deep as the input likes.
    var objects: [(ObjId, ObjType)] = [(.ROOT, .Map)]
    var count = 0
    while let (object, type) = objects.popLast() {
      // Looking for the way to an object goes through all operations.
      if heads == nil, count < 16 { try readPlace(of: object, type) }
      count += 1
      let values = try Oracle.attempt("an object cannot be read") { try read(object, type) }
      for case .Object(let object, let type) in values { objects.append((object, type)) }
    }
    digest = hasher.finalize()
  }

  private mutating func readPlace(of object: ObjId, _ type: ObjType) throws(Oracle.Loss) {
    try Oracle.require(document.objectType(obj: object) == type, "an object has another type")
    let path = try Oracle.attempt("an object has no path") { try document.path(obj: object) }
    hasher.combine(path.map(\.obj))
  }

  private mutating func read(_ object: ObjId, _ type: ObjType) throws -> [Value] {
    let values =
      try heads.map { try document.valuesAt(obj: object, heads: $0) }
      ?? document.values(obj: object)
    hasher.combine(object)
    hasher.combine(type)
    hasher.combine(values)
    let keys = heads.map { document.keysAt(obj: object, heads: $0) } ?? document.keys(obj: object)
    hasher.combine(keys)
    try Oracle.require(keys.count == values.count, "there are not as many keys as values")
    let length =
      heads.map { document.lengthAt(obj: object, heads: $0) }
      ?? document.length(obj: object)
    hasher.combine(length)
    switch type {
    case .Map:
      for (key, value) in zip(keys, values) {
        let (one, all) = try group(object, key: key)
        try combine(one, all)
        // Not a number equals nothing, itself included.
        try Oracle.require(one == value || value != value, "a key has two values")
      }
    case .List:
      for (index, value) in values.prefix(Self.indexCount).enumerated() {
        let (one, all) = try group(object, index: UInt64(index))
        try combine(one, all)
        try Oracle.require(one == value || value != value, "an index has two values")
      }
    case .Text:
      // The indexes of a text count its units, of which an element may have several or none.
      for index in 0..<min(length, UInt64(Self.indexCount)) {
        let (one, all) = try group(object, index: index)
        try combine(one, all)
      }
      hasher.combine(try text(object))
      let marks = try marks(object)
      hasher.combine(marks)
      let areInside = marks.allSatisfy { $0.start <= $0.end && $0.end <= length }
      try Oracle.require(areInside, "a mark is not inside its text")
    }
    return values
  }

  /// How many elements are read one by one, each of which takes a walk through the list.
  private static let indexCount = 24

  /// The winner is one of all values.
  private mutating func combine(_ one: Value?, _ all: Set<Value>) throws(Oracle.Loss) {
    hasher.combine(all)
    guard let one else { throw Oracle.Loss(description: "a visible place has no value") }
    try Oracle.require(all.contains(one) || one != one, "the winner is none of the values")
  }

  // MARK: Now or then

  private func group(_ object: ObjId, key: String) throws -> (Value?, Set<Value>) {
    guard let heads else {
      return (try document.get(obj: object, key: key), try document.getAll(obj: object, key: key))
    }
    return (
      try document.getAt(obj: object, key: key, heads: heads),
      try document.getAllAt(obj: object, key: key, heads: heads)
    )
  }

  private func group(_ object: ObjId, index: UInt64) throws -> (Value?, Set<Value>) {
    guard let heads else {
      return (
        try document.get(obj: object, index: index), try document.getAll(obj: object, index: index)
      )
    }
    return (
      try document.getAt(obj: object, index: index, heads: heads),
      try document.getAllAt(obj: object, index: index, heads: heads)
    )
  }

  private func text(_ object: ObjId) throws -> String {
    guard let heads else { return try document.text(obj: object) }
    return try document.textAt(obj: object, heads: heads)
  }

  private func marks(_ object: ObjId) throws -> [Mark] {
    guard let heads else { return try document.marks(obj: object) }
    return try document.marksAt(obj: object, heads: heads)
  }
}
