package import Automerge
package import Folders

/// The identities that a property of links names.
package struct LinkSet: Hashable, Sendable {
  /// The identities as their kind writes them, ascending by bytes, each once.
  package private(set) var identities: [[UInt8]] = []

  /// No links at all.
  package init() {}

  /// Reads an array of identities, or an object whose members are identities and `true`; nil if the
  /// node is neither.
  ///
  /// - Parameter target: what tells entities of the kind that the links lead to from each other; nil
  ///   if they lead anywhere.
  package init?(_ node: Int, on tape: JSONTape, to target: IdentityRule?) {
    let isObject = tape.kind(of: node) == .object
    guard isObject || tape.kind(of: node) == .array else { return nil }
    var child = node + 1
    while child < tape.node(after: node) {
      guard tape.kind(of: child) == .string, !isObject || tape.kind(of: child + 1) == .true,
        let identity = Self.identity(
          tape.text.span.extracting(tape.range(of: child)), by: target)
      else { return nil }
      identities.append(identity)
      child = tape.node(after: isObject ? child + 1 : child)
    }
    sort()
  }

  /// Reads a map of which readers see nothing but identities that are true; nil if it is no such map.
  package init?(
    _ map: OpID, of document: DocumentState, to target: IdentityRule?,
    at view: HistoricalView? = nil
  ) {
    guard document.kind(of: map) == .map else { return nil }
    let pool = document.pool
    var isComplete = true
    document.forEachKey(of: map) { key, group in
      guard isComplete, let value = document.winner(in: group, at: view) else { return }
      guard case .scalar(let place) = value.content, place.type == .boolTrue,
        let identity = Self.identity(pool.span.extracting(key), by: target)
      else {
        isComplete = false
        return
      }
      identities.append(identity)
    }
    guard isComplete else { return nil }
    sort()
  }

  /// Returns whether an identity, as its kind writes it, is among them. Logarithmic.
  package func contains(_ identity: [UInt8]) -> Bool {
    var range = identities.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if identities[middle] == identity { return true }
      range =
        identities[middle].lexicographicallyPrecedes(identity)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }

  /// Returns an identity in the one form in which a rule writes it; nil if the text is none.
  package static func identity(_ text: Span<UInt8>, by rule: IdentityRule?) -> [UInt8]? {
    switch rule {
    case .uuid: Identity(text)?.canonicalBytes
    case .string, .member, .file, .row: text.isEmpty ? nil : Array(text)
    case .singleton: text.isEqual(to: "singleton") ? Array(text) : nil
    case nil: Array(text)
    }
  }

  /// What a document was written in is sorted already, and so is what was exported from one.
  private mutating func sort() {
    let isAscending = zip(identities, identities.dropFirst()).allSatisfy {
      $0.lexicographicallyPrecedes($1)
    }
    if isAscending { return }
    identities.sort { $0.lexicographicallyPrecedes($1) }
    var distinct: [[UInt8]] = []
    for identity in identities where identity != distinct.last { distinct.append(identity) }
    identities = distinct
  }
}

/// What a property of links says on one side only.
package struct LinkDifference: Hashable, Sendable {
  /// The map of the document that readers see the links in.
  package var map: OpID
  /// The identities that only the entity names, as their kind writes them, ascending.
  package var missing: [[UInt8]]
  /// The keys of the map that only the document shows, as they stand there, ascending.
  package var additional: [[UInt8]]
}
