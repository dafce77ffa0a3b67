/// Why an entity of a declared kind is not imported.
package enum EntityRefusal: Error, Hashable, Sendable {
  /// A required property is absent or null.
  case missing(PropertyName)
  /// A required property has another type.
  case wrongType(PropertyName)
  /// The entity says two identities.
  case twoIdentities
  /// A number that no type of Automerge holds exactly.
  case number(literal: [UInt8])
  /// A value that is none of the type that a stream names.
  case notOfType(StreamType)
  /// There are more scalars than places.
  case tooManyScalars(limit: Int)
}

/// One value of an entity as documents carry it: by its declared type, or by its own JSON type.
package enum DeclaredValue {
  /// A value that no object is made for.
  package enum Scalar {
    case null
    case boolean(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case timestamp(Int64)
    case bytes([UInt8])
    case counter(Int64)
    case unknown(code: UInt8, bytes: [UInt8])
    /// A string of the tape.
    case string(Int)
    /// A string in its only form.
    case canonical([UInt8])
  }

  case scalar(Scalar)
  /// An array or object of the tape, with all of its content.
  case container(Int)
  /// A string of the tape as a text object.
  case text(Int)
  /// Identities, ascending, each once.
  case links([[UInt8]])

  /// Reads a value that is not null by the type that a stream names, else by its own JSON type.
  package init(
    _ node: Int, on tape: borrowing JSONTape, _ types: borrowing StreamTypes = StreamTypes()
  ) throws(EntityRefusal) {
    if let type = types[node] {
      try self.init(node, of: type, on: tape)
      return
    }
    switch tape.kind(of: node) {
    case .null: self = .scalar(.null)
    case .true, .false: self = .scalar(.boolean(tape.kind(of: node) == .true))
    case .string: self = .scalar(.string(node))
    case .array, .object: self = .container(node)
    case .number:
      switch tape.number(at: node) {
      case .int(let value): self = .scalar(.int(value))
      case .uint(let value): self = .scalar(.uint(value))
      case .double(let value): self = .scalar(.double(value))
      case .notRepresentable: throw .number(literal: tape.bytes(of: node))
      }
    }
  }

  private init(
    _ node: Int, of type: StreamType, on tape: borrowing JSONTape
  ) throws(EntityRefusal) {
    switch type.value(of: node, on: tape) {
    case .text: self = .text(node)
    case .string: self = .scalar(.string(node))
    case .uint(let value): self = .scalar(.uint(value))
    case .double(let value): self = .scalar(.double(value))
    case .timestamp(let value): self = .scalar(.timestamp(value))
    case .counter(let value): self = .scalar(.counter(value))
    case .bytes(let bytes): self = .scalar(.bytes(bytes))
    case .unknown(let code, let bytes): self = .scalar(.unknown(code: code, bytes: bytes))
    case .null, .boolean, .int, .list, .map, nil: throw .notOfType(type)
    }
  }

  /// Reads a value that is not null as its declared type; nil if it is none, or not exactly.
  ///
  /// - Parameter target: the kind that the property refers to; nil if it refers to none, or to any text.
  package init?(
    _ node: Int, as form: PropertyForm, on tape: borrowing JSONTape,
    _ types: borrowing StreamTypes = StreamTypes(), to target: TargetKind?
  ) throws(EntityRefusal) {
    if types[node] != nil {
      try self.init(node, on: tape, types)
      guard isOf(form) else { return nil }
      return
    }
    let kind = tape.kind(of: node)
    // Most values need no look at their text.
    switch (form, kind) {
    case (.string, .string): self = .scalar(.string(node))
    case (.boolean, .true): self = .scalar(.boolean(true))
    case (.boolean, .false): self = .scalar(.boolean(false))
    case (.list, .array), (.map, .object): self = .container(node)
    case (.text, .string): self = .text(node)
    case (.json, _), (.number, .number): try self.init(node, on: tape)
    case (.integer, .number):
      try self.init(node, on: tape)
      if case .scalar(.double) = self { return nil }
    case (.double, .number):
      guard let double = try Self.double(node, on: tape) else { return nil }
      self = .scalar(.double(double))
    case (.date, .string):
      guard let moment = tape.moment(at: node) else { return nil }
      self = .scalar(.timestamp(moment.milliseconds))
    case (.uuid, .string), (.bytes, .string), (.decimal, .string), (.decimal, .number),
      (.reference, .string):
      let text = tape.text.span.extracting(tape.range(of: node))
      guard let scalar = Scalar(text, at: node, as: form, to: target) else { return nil }
      self = .scalar(scalar)
    case (.links, .array), (.links, .object):
      guard !types.holds(node..<tape.node(after: node)),
        let links = Self.links(node, by: target?.identity, on: tape)
      else { return nil }
      self = .links(links)
    default: return nil
    }
  }

  /// Whether a value whose type a stream names is of a declared type.
  private func isOf(_ form: PropertyForm) -> Bool {
    switch (form, self) {
    case (.json, _), (.text, .text), (.date, .scalar(.timestamp)), (.bytes, .scalar(.bytes)),
      (.integer, .scalar(.uint)), (.number, .scalar(.uint)), (.number, .scalar(.double)),
      (.double, .scalar(.double)), (.string, .scalar(.string)):
      true
    default: false
    }
  }

  /// A literal without a point is a double only if it is the double's shortest decimal, as others are.
  private static func double(_ node: Int, on tape: JSONTape) throws(EntityRefusal) -> Double? {
    switch tape.number(at: node) {
    case .double(let value): return value
    case .int(let value) where value.magnitude < 1 << 53 && value != 0:
      // All of them are doubles, and no decimal that is shorter lies as near.
      return Double(value)
    case .int, .uint:
      let literal = tape.bytes(of: node) + Array("e0".utf8)
      if case .double(let value) = ExactNumber(literal.span) { return value }
      return nil
    case .notRepresentable: throw .number(literal: tape.bytes(of: node))
    }
  }

  private static func links(
    _ node: Int, by rule: IdentityRule?, on tape: JSONTape
  ) -> [[UInt8]]? {
    let isObject = tape.kind(of: node) == .object
    var links: [[UInt8]] = []
    var child = node + 1
    while child < tape.node(after: node) {
      let text = tape.text.span.extracting(tape.range(of: child))
      guard tape.kind(of: child) == .string, !isObject || tape.kind(of: child + 1) == .true,
        let identity = rule == nil ? Array(text) : rule?.bytes(text)
      else { return nil }
      links.append(identity)
      child = tape.node(after: isObject ? child + 1 : child)
    }
    links.sort { $0.lexicographicallyPrecedes($1) }
    var distinct: [[UInt8]] = []
    for link in links where link != distinct.last { distinct.append(link) }
    return distinct
  }
}

extension DeclaredValue.Scalar {
  /// Reads a text that is kept in one form only, whatever form it came in; nil if it is no such value.
  fileprivate init?(
    _ text: Span<UInt8>, at node: Int, as form: PropertyForm, to target: TargetKind?
  ) {
    switch form {
    case .uuid:
      guard let identity = Identity(text) else { return nil }
      self = identity.isCanonical(text) ? .string(node) : .canonical(identity.canonicalBytes)
    case .bytes:
      if BlobReference(text) != nil || LostValue.isFile(text) {
        self = .string(node)
        return
      }
      guard let bytes = Base64.decode(text) else { return nil }
      self = .bytes(bytes)
    case .decimal:
      guard let decimal = ExactDecimal(text) else { return nil }
      var digits: [UInt8] = []
      decimal.append(to: &digits)
      self = .canonical(digits)
    case .reference:
      // Without a kind that it leads to, any text is in its only form.
      guard let target, !target.isCanonical(text), !LostValue.isRow(text, of: target.rows) else {
        self = .string(node)
        return
      }
      guard let identity = target.identity.bytes(text) else { return nil }
      self = .canonical(identity)
    default: return nil
    }
  }
}
