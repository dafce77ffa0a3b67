package import Folders

/// Why bytes are no value: they are not strict JSON (RFC 8259, every name of an object once).
public struct JSONFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, in words.
  public let reason: String
  /// Where, in bytes from 0.
  public let offset: Int

  /// What is wrong, and where.
  public var description: String { "byte \(offset): \(reason)" }
}

extension MigrationValue {
  /// Reads a value from JSON in UTF-8. Numbers keep their digits and members their order.
  ///
  /// Throws for what is not strict JSON, is longer than 64 MiB, or nests more than 128 levels deep.
  public init(json: [UInt8]) throws(JSONFailure) {
    var tape = JSONTape()
    do throws(JSONDefect) {
      try tape.parse(json)
    } catch {
      throw JSONFailure(reason: error.problem, offset: error.offset)
    }
    self.init(0, of: tape)
  }

  /// Reads a value of a tape.
  package init(_ node: Int, of tape: JSONTape) {
    switch tape.kind(of: node) {
    case .null: self = .null
    case .true: self = .boolean(true)
    case .false: self = .boolean(false)
    case .number: self = .number(MigrationNumber(checked: Self.string(node, of: tape)))
    case .string: self = .text(Self.string(node, of: tape))
    case .array:
      var elements: [MigrationValue] = []
      elements.reserveCapacity(tape.childCount(of: node))
      var child = node + 1
      while child < tape.node(after: node) {
        elements.append(MigrationValue(child, of: tape))
        child = tape.node(after: child)
      }
      self = .list(elements)
    case .object:
      var object = MigrationObject()
      var name = node + 1
      while name < tape.node(after: node) {
        object[Self.string(name, of: tape)] = MigrationValue(name + 1, of: tape)
        name = tape.node(after: name + 1)
      }
      self = .object(object)
    }
  }

  /// A string or the literal of a number, which the tape has looked through.
  private static func string(_ node: Int, of tape: JSONTape) -> String {
    String(decoding: tape.text[tape.range(of: node)], as: UTF8.self)
  }

  /// The value as JSON in UTF-8 without white space: equal values of one order of members are the same
  /// bytes, and what is read from them is equal to it.
  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .boolean(let isTrue): writer.bool(isTrue)
    case .number(let number): writer.number(literal: Array(number.literal.utf8).span)
    case .text(let text): writer.string(text.string)
    case .list(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      for member in object.members {
        writer.name(Array(member.name.string.utf8).span)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// The value as JSON in the only form that it has: without white space, members ascending by the bytes
  /// of their names, each number in one form.
  package var canonicalJSON: [UInt8] {
    var writer = JSONWriter()
    writeCanonical(to: &writer)
    return writer.bytes
  }

  private func writeCanonical(to writer: inout JSONWriter) {
    switch self {
    case .null, .boolean, .text: write(to: &writer)
    case .number(let number): writer.number(literal: number.normalForm.span)
    case .list(let elements):
      writer.beginArray()
      for element in elements { element.writeCanonical(to: &writer) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      for member in object.sortedMembers {
        writer.name(Array(member.name.string.utf8).span)
        member.value.writeCanonical(to: &writer)
      }
      writer.endObject()
    }
  }
}
