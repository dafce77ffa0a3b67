package import Automerge
package import Folders

/// The entities of a document of which readers see what only stands for a value that a store lacked.
package struct ShownLosses {
  /// Who they are.
  package private(set) var identities: [Identity] = []

  /// Looks through all values that a document shows of entities of a kind, unless its texts tell that there
  /// is no such thing in it, which is nearly always so.
  package init(
    of entities: [DocumentRoot.Entity], _ kind: EntityKind, in document: DocumentState,
    _ kinds: EntityKinds
  ) {
    guard let profile = kinds[kind], profile.home?.rows != nil,
      Self.mayShow(document.pool.span)
    else { return }
    for entity in entities {
      guard let map = entity.map else { continue }
      var isLost = false
      document.forEachKey(of: map) { key, group in
        guard !isLost, let value = document.winner(in: group) else { return }
        let index = profile.properties.index(of: document.pool.span.extracting(key))
        let type = index.map { profile.properties[$0].type }
        isLost = LostValue(value, of: type, in: document, kinds.profile) != nil
      }
      if isLost { identities.append(entity.identity) }
    }
  }

  /// Whether bytes hold `missing:`, or `/p` and a digit.
  private static func mayShow(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index + 2 < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "/"), bytes[index + 1] == UInt8(ascii: "p"),
        bytes[index + 2] &- UInt8(ascii: "0") < 10
      {
        return true
      }
      if byte == UInt8(ascii: "m"), bytes[index + 1] == UInt8(ascii: "i"),
        bytes.count - index > 8, bytes.extracting(index..<index + 8).isEqual(to: "missing:")
      {
        return true
      }
      index += 1
    }
    return false
  }
}

extension LostValue {
  /// Reads what a value that readers of a document see stands for, or one of several identities; nil if
  /// all of it is a value.
  ///
  /// - Parameter type: what the value's property holds; nil if no profile says that.
  init?(
    _ value: DocumentValue, of type: PropertyType?, in document: DocumentState, _ profile: Profile
  ) {
    func read(_ value: DocumentValue) -> LostValue? {
      guard case .scalar(let place) = value.content, place.type == .string else { return nil }
      return LostValue(document.pool.span.extracting(place.range), of: type, in: profile)
    }
    var found = read(value)
    if case .links = type {
      switch value.content {
      case .object(.list):
        document.forEachElement(of: value.id) { _, group in
          guard found == nil, let element = document.winner(in: group) else { return }
          found = read(element)
        }
      case .object(.map):
        document.forEachKey(of: value.id) { key, group in
          guard found == nil, document.isVisible(group) else { return }
          found = LostValue(document.pool.span.extracting(key), of: type, in: profile)
        }
      case .object, .scalar: break
      }
    }
    guard let found else { return nil }
    self = found
  }
}
