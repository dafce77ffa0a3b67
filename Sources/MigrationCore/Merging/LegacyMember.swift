import FolderDocuments
import Folders
import Runs

/// A member of an object in a legacy file: of an entity, other than its identity, or of what is around
/// the entities.
struct LegacyMember {
  /// The bytes of its name.
  let name: [UInt8]
  /// Its value on the tape of the file.
  let node: Int

  private let tape: JSONTape
  /// What the profile says about it, if it names it.
  private let property: Property?
  private let profile: Profile

  private init(_ name: UInt32, on tape: JSONTape, as properties: PropertyTable?, _ profile: Profile)
  {
    let bytes = tape.bytes(of: Int(name))
    self.name = bytes
    node = Int(name) + 1
    self.tape = tape
    property = properties?[PropertyName(bytes)]
    self.profile = profile
  }

  /// Returns the members of an entity in the order of the file.
  static func members(of entity: LegacyEntity, in batch: EntityBatch) -> [LegacyMember] {
    members(of: entity.node, in: batch, as: batch.kinds[entity.kind]?.properties)
      .filter { $0.node != entity.idNode }
  }

  /// Returns the members of an object that is no entity in the order of the file.
  static func members(of object: Int, in batch: EntityBatch) -> [LegacyMember] {
    members(of: object, in: batch, as: nil)
  }

  private static func members(
    of object: Int, in batch: EntityBatch, as properties: PropertyTable?
  ) -> [LegacyMember] {
    var names: [UInt32] = []
    batch.tape.appendMembers(of: object, to: &names)
    let profile = batch.kinds.profile
    return names.map { LegacyMember($0, on: batch.tape, as: properties, profile) }
  }

  /// Returns the members of an entity by their names, which are unique.
  static func byName(
    of entity: LegacyEntity, in batch: EntityBatch
  ) -> [[UInt8]: LegacyMember] {
    Dictionary(members(of: entity, in: batch).map { ($0.name, $0) }) { first, _ in first }
  }

  /// The name for a message.
  var displayedName: String { String(decoding: name, as: UTF8.self) }

  /// Whether the value says no more than an absent member: `null` in a declared optional property, or
  /// no links.
  var isAbsence: Bool {
    guard let property, property.type != .json, !property.isAlwaysThere else { return false }
    if tape.kind(of: node) == .null { return true }
    return links?.isEmpty ?? false
  }

  /// Whether two members say the same: values of the declared type mean the same, such as one moment,
  /// everything else is equal as JSON.
  func isEqual(to other: LegacyMember) -> Bool {
    if property?.type != .json, let one = value, let two = other.value {
      switch (one, two) {
      case (.scalar(let one), .scalar(let two)): return isEqual(one, to: two, of: other.tape)
      case (.links(let one), .links(let two)): return one == two
      default: break
      }
    }
    return tape.isEqual(node, to: other.node, of: other.tape)
  }

  /// Whether another member says the same, or more of what is only ever added up: links.
  func isHeld(by other: LegacyMember) -> Bool {
    if isEqual(to: other) { return true }
    guard let links, let others = other.links else { return false }
    return Set(others).isSuperset(of: links)
  }

  /// Returns the source of what has to come into the list or the map of links of another member for
  /// that to hold these, too; nil if one of both is no value of links.
  func additions(to other: LegacyMember) -> [[UInt8]]? {
    guard let links, let others = other.links.map(Set.init) else { return nil }
    return links.filter { !others.contains($0) }.map { link in
      var json = JSONWriter()
      json.string(link.span)
      return json.bytes + (other.tape.kind(of: other.node) == .object ? Array(":true".utf8) : [])
    }
  }

  /// The identities that a property of links names; nil of any other value.
  private var links: [[UInt8]]? {
    if case .links(let links)? = value { links } else { nil }
  }

  /// The value as its declared type; nil if it has none, or is null or of another type.
  private var value: DeclaredValue? {
    guard let property, tape.kind(of: node) != .null else { return nil }
    // A number that no type holds is no value of its type either, and equal digit by digit.
    return try? DeclaredValue(
      node, as: property.type.form, on: tape, to: profile.kind(of: property.type.target))
  }

  private func isEqual(
    _ one: DeclaredValue.Scalar, to two: DeclaredValue.Scalar, of other: JSONTape
  ) -> Bool {
    switch (one, two) {
    case (.null, .null): true
    case (.boolean(let one), .boolean(let two)): one == two
    case (.int(let one), .int(let two)): one == two
    case (.uint(let one), .uint(let two)): one == two
    case (.double(let one), .double(let two)): one.bitPattern == two.bitPattern
    case (.timestamp(let one), .timestamp(let two)): one == two
    case (.bytes(let one), .bytes(let two)): one == two
    default:
      if let one = text(of: one, on: tape), let two = text(of: two, on: other) {
        one == two
      } else {
        false
      }
    }
  }

  /// The text that a scalar is, wherever it lies.
  private func text(of scalar: DeclaredValue.Scalar, on tape: JSONTape) -> ArraySlice<UInt8>? {
    switch scalar {
    case .canonical(let text): text[...]
    case .string(let node): tape.text[tape.range(of: node)]
    default: nil
    }
  }

  /// The bytes of name and value in the file.
  var source: ArraySlice<UInt8> {
    tape.text[tape.offset(of: node - 1)..<tape.sourceRange(of: node).upperBound]
  }

  /// The bytes of the value in the file.
  var valueSource: ArraySlice<UInt8> { tape.text[tape.sourceRange(of: node)] }

  /// The value for a report; a list, an object or a number that is no whole one as its text.
  var reportValue: ReportValue {
    switch tape.kind(of: node) {
    case .null: .null
    case .true: .boolean(true)
    case .false: .boolean(false)
    case .string: .string(String(decoding: tape.bytes(of: node), as: UTF8.self))
    case .number, .array, .object:
      Int(String(decoding: valueSource, as: UTF8.self)).map { .integer($0) }
        ?? .string(String(decoding: valueSource, as: UTF8.self))
    }
  }
}

extension JSONTape {
  /// Whether two values are equal: numbers digit by digit, strings byte by byte, the members of
  /// objects in any order.
  fileprivate func isEqual(_ node: Int, to other: Int, of tape: JSONTape) -> Bool {
    guard kind(of: node) == tape.kind(of: other) else { return false }
    switch kind(of: node) {
    case .null, .true, .false: return true
    case .number, .string:
      return text[range(of: node)].elementsEqual(tape.text[tape.range(of: other)])
    case .array, .object:
      guard childCount(of: node) == tape.childCount(of: other) else { return false }
      var (children, others): ([UInt32], [UInt32]) = ([], [])
      appendChildren(of: node, to: &children)
      tape.appendChildren(of: other, to: &others)
      return zip(children, others).allSatisfy { child, match in
        if kind(of: node) == .array { return isEqual(Int(child), to: Int(match), of: tape) }
        return text[range(of: Int(child))].elementsEqual(tape.text[tape.range(of: Int(match))])
          && isEqual(Int(child) + 1, to: Int(match) + 1, of: tape)
      }
    }
  }

  /// Appends the elements of an array, or the names of an object's members by their bytes.
  private func appendChildren(of container: Int, to children: inout [UInt32]) {
    guard kind(of: container) == .array else {
      return appendSortedMembers(of: container, to: &children)
    }
    var element = container + 1
    while element < node(after: container) {
      children.append(UInt32(truncatingIfNeeded: element))
      element = node(after: element)
    }
  }
}
