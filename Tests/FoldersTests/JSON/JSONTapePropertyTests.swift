import FileFaults
import Folders
import Foundation
import Testing

@Suite struct JSONTapePropertyTests {
  /// A JSON value as a plain model, with numbers as literals.
  private indirect enum Model: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([Model])
    case object([(String, Model)])

    static func == (left: Model, right: Model) -> Bool {
      switch (left, right) {
      case (.null, .null): true
      case (.bool(let one), .bool(let other)): one == other
      case (.number(let one), .number(let other)): one == other
      case (.string(let one), .string(let other)): Array(one.utf8) == Array(other.utf8)
      case (.array(let one), .array(let other)): one == other
      case (.object(let one), .object(let other)):
        one.count == other.count
          && zip(one, other).allSatisfy { Array($0.0.utf8) == Array($1.0.utf8) && $0.1 == $1.1 }
      default: false
      }
    }
  }

  private static let pieces = [
    "", "a", "é", "e\u{301}", "\"", "\\", "\n", "\0", "\u{1f}", "😀", "日本", "/", "\u{2028}",
    "\u{7f}",
  ]
  private static let literals = [
    "0", "-0", "1", "-1", "9007199254740993", "18446744073709551616", "0.10", "1e5", "-2.5E-3",
  ]

  private static func text(_ random: inout TestRandom) -> String {
    (0..<Int.random(in: 0...4, using: &random))
      .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private static func model(_ random: inout TestRandom, depth: Int) -> Model {
    switch Int.random(in: 0...(depth > 4 ? 3 : 5), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .number(literals.randomElement(using: &random) ?? "0")
    case 3: return .string(text(&random))
    case 4:
      return .array(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in model(&random, depth: depth + 1) })
    default:
      var members: [(String, Model)] = []
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let name = text(&random)
        if members.contains(where: { Array($0.0.utf8) == Array(name.utf8) }) { continue }
        members.append((name, model(&random, depth: depth + 1)))
      }
      return .object(members)
    }
  }

  private static func write(_ model: Model, to writer: inout JSONWriter) {
    switch model {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let literal):
      let bytes = Array(literal.utf8)
      writer.number(literal: bytes.span)
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { write(element, to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (name, value) in members {
        let bytes = Array(name.utf8)
        writer.name(bytes.span)
        write(value, to: &writer)
      }
      writer.endObject()
    }
  }

  private static func read(_ node: Int, _ tape: JSONTape) -> Model {
    let text = String(decoding: tape.bytes(of: node), as: UTF8.self)
    switch tape.kind(of: node) {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .number: return .number(text)
    case .string: return .string(text)
    case .array:
      var elements: [Model] = []
      var element = node + 1
      while element < tape.node(after: node) {
        elements.append(read(element, tape))
        element = tape.node(after: element)
      }
      return .array(elements)
    case .object:
      var members: [(String, Model)] = []
      var member = node + 1
      while member < tape.node(after: node) {
        let name = String(decoding: tape.bytes(of: member), as: UTF8.self)
        members.append((name, read(member + 1, tape)))
        member = tape.node(after: member + 1)
      }
      return .object(members)
    }
  }

  @Test(arguments: 0..<20)
  func `what is written is read back, and copied byte for byte`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    var tape = JSONTape()
    for step in 0..<50 {
      let model = Self.model(&random, depth: 0)
      var writer = JSONWriter()
      Self.write(model, to: &writer)
      try tape.parse(writer.bytes)
      #expect(Self.read(0, tape) == model, "seed \(seed) step \(step)")
      var copy = JSONWriter()
      copy.value(0, of: tape)
      #expect(copy.bytes == writer.bytes, "seed \(seed) step \(step)")
    }
  }

  @Test(arguments: 0..<20)
  func `no mutation traps, and what is accepted is JSON to Foundation too`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(1000 + seed))
    var tape = JSONTape()
    let alphabet =
      Array("{}[]\":,\\/ue0123456789+-.truefalsn \n\0".utf8) + [0x80, 0xc3, 0xed, 0xff]
    for step in 0..<300 {
      var writer = JSONWriter()
      Self.write(Self.model(&random, depth: 1), to: &writer)
      var bytes = writer.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
        case 1 where position < bytes.count: bytes.remove(at: position)
        case 2 where position < bytes.count:
          bytes[position] = alphabet.randomElement(using: &random) ?? 0
        default: bytes.removeLast(min(bytes.count, Int.random(in: 0...5, using: &random)))
        }
      }
      do throws(JSONDefect) {
        try tape.parse(bytes)
      } catch {
        #expect(error.offset <= bytes.count, "seed \(seed) step \(step)")
        #expect(!error.problem.isEmpty)
        continue
      }
      do {
        _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      } catch {
        // Foundation goes through Double, and refuses what does not fit.
        let isNumber = "\(error)".contains("is not representable in Swift")
        if !isNumber { Issue.record("seed \(seed) step \(step): \(error)") }
      }
    }
  }
}
