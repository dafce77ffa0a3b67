internal import Synchronization

/// A number that is its own until it is bound, and from then on a counter of a document.
///
/// Increments of different authors add up. Encoding an instance binds it to where it was written. If
/// the counter of a bound instance is deleted or overwritten, the instance goes on with its last
/// value.
public final class Counter: Codable, Sendable {
  private struct Content: Sendable {
    /// Where the counter stands; nil as long as the instance is not bound.
    var binding: (document: Document, place: ValuePlace)?
    /// The value as it was read or set last.
    var value: Int
  }

  private let content: Mutex<Content>
  #if canImport(Combine)
    let watcher = DocumentWatcher()
  #endif

  /// Makes a counter that is not bound.
  public init(_ initialValue: Int = 0) { content = Mutex(Content(value: initialValue)) }

  /// Binds to the counter at a path, and adds a value to it.
  ///
  /// - Throws: What `bind(doc:path:)` throws.
  public convenience init(_ initialValue: Int = 0, doc: Document, path: String) throws {
    self.init(initialValue)
    try bind(doc: doc, path: path)
  }

  /// Binds to the counter at a key or index of an object.
  ///
  /// - Throws: `DocError` for an object without such keys, `BindingError.NotCounter` if there is
  ///   anything else.
  public convenience init(doc: Document, objId: ObjId, key: any CodingKey) throws {
    try self.init(doc, ValuePlace(container: objId, prop: AnyCodingKey(key).prop))
  }

  convenience init(_ document: Document, _ place: ValuePlace) throws {
    self.init()
    try bind(to: document, place)
  }

  // MARK: Binding

  /// Whether the instance is a counter of a document.
  public var isBound: Bool { content.withLock { $0.binding != nil } }

  var doc: Document? { content.withLock { $0.binding?.document } }
  var place: ValuePlace? { content.withLock { $0.binding?.place } }

  /// Whether the instance is the counter at this very place.
  func isBound(to document: Document, _ place: ValuePlace) -> Bool {
    content.withLock { $0.binding?.document === document && $0.binding?.place == place }
  }

  /// Binds to the counter at a path, and adds the value to it.
  ///
  /// - Throws: `PathParseError`, `CodingKeyLookupError`, `BindingError.InvalidPath` for an empty
  ///   path, `BindingError.NotCounter` if there is anything else.
  public func bind(doc: Document, path: String) throws {
    let keys = try AnyCodingKey.parsePath(path)
    guard !keys.isEmpty else { throw BindingError.InvalidPath(path) }
    try bind(to: doc, doc.find(keys).place)
  }

  private func bind(to document: Document, _ place: ValuePlace) throws {
    guard case .Scalar(.Counter) = try document.value(at: place) else {
      throw BindingError.NotCounter
    }
    let addend = content.withLock { $0.binding == nil ? $0.value : 0 }
    if addend != 0 { try document.increment(at: place, by: Int64(addend)) }
    bind(to: document, at: place)
  }

  /// Binds to a counter that has the value already.
  func bind(to document: Document, at place: ValuePlace) {
    content.withLock { $0.binding = (document, place) }
    #if canImport(Combine)
      watch(document)
    #endif
  }

  // MARK: Value

  /// The value. Setting it increments the counter of a bound instance by the difference.
  public var value: Int {
    get {
      let content = content.withLock { $0 }
      guard let (document, place) = content.binding, let current = document.counter(at: place)
      else { return content.value }
      self.content.withLock { $0.value = current }
      return current
    }
    set { change { newValue &- $0 } }
  }

  /// Adds to the value.
  public func increment(by value: Int) { change { _ in value } }

  /// Adds what `amount` says for the present value; counters wrap around, as in the document.
  private func change(by amount: (Int) -> Int) {
    let current = value
    let addend = amount(current)
    if let (document, place) = content.withLock({ $0.binding }), addend != 0 {
      // Fails only if the counter is gone, and then the value goes on in this instance.
      try? document.increment(at: place, by: Int64(addend))
    }
    content.withLock { $0.value = current &+ addend }
  }

  // MARK: Codable

  private enum CodingKeys: String, CodingKey {
    case value
  }

  /// Writes the value as a map with one key, which is what coders of other formats see.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
  }

  /// Reads the value, not bound, from a map with one key.
  public required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    content = Mutex(Content(value: try container.decode(Int.self, forKey: .value)))
  }
}

extension Document {
  /// Returns the value of the counter at a place, or nil if there is none.
  func counter(at place: ValuePlace) -> Int? {
    // A container that holds no counter any more is no error here.
    guard case .Scalar(.Counter(let value)) = try? value(at: place) else { return nil }
    return Int(truncatingIfNeeded: value)
  }
}

extension Counter: Hashable {
  /// Two counters of one document are equal if they stand at the same place, all others if their
  /// values are equal.
  public static func == (left: Counter, right: Counter) -> Bool {
    if let document = left.doc, document === right.doc { return left.place == right.place }
    return left.value == right.value
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Counter: CustomStringConvertible {
  public var description: String { String(value) }
}
