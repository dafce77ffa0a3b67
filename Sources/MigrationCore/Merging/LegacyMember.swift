import FolderDocuments
import Folders
import Runs

/// A member of a legacy entity other than its identity.
struct LegacyMember {
  /// The bytes of its name.
  let name: [UInt8]
  /// Its value on the tape of the batch.
  let node: Int

  private let entity: LegacyEntity
  private let batch: EntityBatch

  /// Returns the members of an entity in the order of the file.
  static func members(of entity: LegacyEntity, in batch: EntityBatch) -> [LegacyMember] {
    var names: [UInt32] = []
    batch.tape.appendMembers(of: entity.node, to: &names)
    return names.compactMap { name in
      let bytes = batch.tape.bytes(of: Int(name))
      return bytes.elementsEqual("id".utf8)
        ? nil : LegacyMember(name: bytes, node: Int(name) + 1, entity: entity, batch: batch)
    }
  }

  /// Returns the members of an entity by their names, which are unique.
  static func byName(
    of entity: LegacyEntity, in batch: EntityBatch
  ) -> [[UInt8]: LegacyMember] {
    Dictionary(members(of: entity, in: batch).map { ($0.name, $0) }) { first, _ in first }
  }

  /// The name for a message.
  var displayedName: String { String(decoding: name, as: UTF8.self) }

  /// Whether the value says no more than an absent member: `null` in a known optional field or in
  /// the images of a record.
  var isAbsence: Bool {
    guard batch.tape.kind(of: node) == .null else { return false }
    return knownField.map { !$0.isRequired } ?? isImages
  }

  /// Whether two members say the same: dates are equal as moments, identities as such, everything
  /// else as JSON.
  func isEqual(to other: LegacyMember) -> Bool {
    if let field = knownField, batch.tape.kind(of: node) != .null,
      other.batch.tape.kind(of: other.node) != .null
    {
      if field.valueType == .date {
        return entity.milliseconds(of: field) == other.entity.milliseconds(of: field)
      }
      if field == .tagId, let one = batch.tape.identity(at: node),
        let two = other.batch.tape.identity(at: other.node)
      {
        return one == two
      }
    }
    return batch.tape.isEqual(node, to: other.node, of: other.batch.tape)
  }

  /// The bytes of name and value in the file.
  var source: ArraySlice<UInt8> {
    let tape = batch.tape
    return tape.text[tape.offset(of: node - 1)..<tape.sourceRange(of: node).upperBound]
  }

  /// The bytes of the value in the file.
  var valueSource: ArraySlice<UInt8> { batch.tape.text[batch.tape.sourceRange(of: node)] }

  /// The value for a report; a list, an object or a number that is no whole one as its text.
  var reportValue: ReportValue {
    switch batch.tape.kind(of: node) {
    case .null: .null
    case .true: .boolean(true)
    case .false: .boolean(false)
    case .string: .string(String(decoding: batch.tape.bytes(of: node), as: UTF8.self))
    case .number, .array, .object:
      Int(String(decoding: valueSource, as: UTF8.self)).map { .integer($0) }
        ?? .string(String(decoding: valueSource, as: UTF8.self))
    }
  }

  private var knownField: KnownField? { entity.kind.fields.first { $0.memberBytes == name } }

  private var isImages: Bool { entity.kind == .record && name.elementsEqual("images".utf8) }
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
