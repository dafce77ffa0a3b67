internal import Synchronization

/// A string that is its own until it is bound, and from then on a text of a document.
///
/// Encoding an instance binds it to where it was written. A bound instance holds no copy: reading it reads the document, and setting it edits the text as
/// little as possible, so that edits of others merge.
public final class AutomergeText: Codable, Sendable {
  private enum Content: Sendable {
    case unbound(String)
    case bound(Document, ObjId)
  }

  private let content: Mutex<Content>
  #if canImport(Combine)
    let watcher = DocumentWatcher()
  #endif

  /// Makes a text that is not bound.
  public init(_ initialValue: String = "") { content = Mutex(.unbound(initialValue)) }

  /// Makes a new text object at a path, and the containers on the way, and binds to it.
  public convenience init(_ initialValue: String = "", doc: Document, path: String) throws {
    self.init(initialValue)
    try bind(doc: doc, path: path)
  }

  /// Binds to a text that exists.
  ///
  /// - Throws: `BindingError.NotText` for anything else.
  public convenience init(doc: Document, objId: ObjId) throws {
    self.init()
    try bind(doc: doc, id: objId)
  }

  // MARK: Binding

  /// Whether the instance is a text of a document.
  public var isBound: Bool { objId != nil }

  var doc: Document? {
    if case .bound(let document, _) = content.withLock({ $0 }) { document } else { nil }
  }

  var objId: ObjId? {
    if case .bound(_, let object) = content.withLock({ $0 }) { object } else { nil }
  }

  /// Whether the instance is this very text.
  func isBound(to document: Document, _ object: ObjId) -> Bool {
    guard case .bound(let bound, object) = content.withLock({ $0 }) else { return false }
    return bound === document
  }

  /// Makes a new text object at a path, replacing what is there, and moves the content to it. The
  /// text of an instance that was bound before stays where it is.
  ///
  /// - Throws: `PathParseError`, `CodingKeyLookupError`, or `BindingError.InvalidPath` for a path
  ///   that is empty or begins with an index.
  public func bind(doc: Document, path: String) throws {
    let keys = try AnyCodingKey.parsePath(path)
    guard case .Key = keys.first?.prop, let last = keys.last else {
      throw BindingError.InvalidPath(path)
    }
    let container = try doc.retrieveObjectId(
      path: keys, containerType: .Value, strategy: .createWhenNeeded
    ).get()
    let place = ValuePlace(container: container, prop: last.prop)
    let object = try doc.putObject(.Text, at: place, isNew: doc.isEnd(place))
    if isBound { try doc.updateText(obj: object, value: value) }
    try bind(doc: doc, id: object)
  }

  /// Binds to a text that exists; content that is not empty replaces the text.
  ///
  /// - Throws: `BindingError.NotText` for anything else.
  public func bind(doc: Document, id: ObjId) throws {
    do { _ = try doc.text(obj: id) } catch { throw BindingError.NotText }
    if case .unbound(let value) = content.withLock({ $0 }), !value.isEmpty {
      try doc.updateText(obj: id, value: value)
    }
    bind(to: doc, id)
  }

  /// Binds to a text that has the content already.
  func bind(to document: Document, _ object: ObjId) {
    content.withLock { $0 = .bound(document, object) }
    #if canImport(Combine)
      watch(document)
    #endif
  }

  // MARK: Value

  /// The content. Setting it edits the text of a bound instance.
  public var value: String {
    get {
      switch content.withLock({ $0 }) {
      case .unbound(let value): return value
      case .bound(let document, let object):
        // Documents keep every object they ever had, so a text that was bound can be read.
        return (try? document.text(obj: object)) ?? ""
      }
    }
    set {
      let bound: (Document, ObjId)? = content.withLock { content in
        if case .bound(let document, let object) = content { return (document, object) }
        content = .unbound(newValue)
        return nil
      }
      // For the same reason it can be written; setting a property cannot throw.
      if let (document, object) = bound { try? document.updateText(obj: object, value: newValue) }
    }
  }

  // MARK: Codable

  public enum CodingKeys: String, CodingKey {
    case value
  }

  /// Writes the content as a map with one key, which is what coders of other formats see.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
  }

  /// Reads the content, not bound, from a map with one key.
  public required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    content = Mutex(.unbound(try container.decode(String.self, forKey: .value)))
  }
}

extension AutomergeText: Hashable {
  /// Two texts of one document are equal if they are the same object, all others if their content
  /// is equal.
  public static func == (left: AutomergeText, right: AutomergeText) -> Bool {
    if let document = left.doc, document === right.doc { return left.objId == right.objId }
    return left.value == right.value
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension AutomergeText: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { value }

  public var debugDescription: String {
    "AutomergeText(\(value.debugDescription), \(objId?.debugDescription ?? "unbound"))"
  }
}
