@testable import Automerge
import Foundation
import Testing

/// Calls with arguments that no sensible program passes: each succeeds or throws, a throwing one
/// changes nothing, and the document stays sound.
@Suite struct ExtremeArgumentTests {
  private struct Caller {
    let document: Document
    private var generator: SeededGenerator
    private var objects: [ObjId] = [.ROOT]
    private var cursors: [Cursor] = []
    private var heads: [Set<ChangeHash>] = [[]]

    init(seed: UInt64, encoding: TextEncoding) throws {
      let small = try SmallDocument(textEncoding: encoding, text: "a😀e\u{301}z")
      document = small.document
      generator = SeededGenerator(seed: seed)
      objects += [small.map, small.list, small.text]
      objects.append(try Document().putObject(obj: .ROOT, key: "stranger", ty: .Map))
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[generator.below(choices.count)] }

    private mutating func index(in object: ObjId) -> UInt64 {
      let length = document.length(obj: object)
      return pick([0, 1, 2, length, length / 2, length &- 1, length + 1, 1 << 32, 1 << 63, .max])
    }

    private mutating func count() -> Int64 {
      pick([0, 0, 1, 2, 3, -1, -2, 1 << 33, -(1 << 33), .max, .min, .min + 1])
    }

    private mutating func key() -> String {
      pick(["", "a", "é", "e\u{301}", "\u{0}", "😀", String(repeating: "k", count: 300)])
    }

    private mutating func text() -> String {
      pick(["", "x", "\r\n", "e\u{301}", "👨‍👩‍👧", "\u{301}", "\u{fffc}", "\u{0}", "one two"])
    }

    /// A value that a document can hold.
    private mutating func storable() -> ScalarValue {
      pick([
        .Null, .Boolean(true), .Int(.min), .Int(.max), .Uint(.max), .F64(.nan), .F64(-0.0),
        .F64(.infinity), .String(""), .String("e\u{301}"), .Bytes(Data()), .Counter(.max),
        .Counter(.min), .Timestamp(.distantPast), .Unknown(typeCode: 15, data: Data([1])),
      ])
    }

    private mutating func value() -> ScalarValue {
      pick([
        storable(), storable(), storable(), .Unknown(typeCode: 9, data: Data()),
        .Unknown(typeCode: 255, data: Data()),
        .Timestamp(Date(timeIntervalSince1970: .greatestFiniteMagnitude)),
        .Timestamp(Date(timeIntervalSince1970: .nan)),
      ])
    }

    private mutating func kind() -> ObjType { pick([.Map, .List, .Text]) }

    /// Makes one edit that may be refused.
    mutating func edit() throws {
      let object = pick(objects)
      switch generator.below(15) {
      case 0: try document.put(obj: object, key: key(), value: value())
      case 1: try document.put(obj: object, index: index(in: object), value: value())
      case 2: objects.append(try document.putObject(obj: object, key: key(), ty: kind()))
      case 3:
        objects.append(
          try document.putObject(obj: object, index: index(in: object), ty: kind()))
      case 4: try document.insert(obj: object, index: index(in: object), value: value())
      case 5:
        objects.append(
          try document.insertObject(obj: object, index: index(in: object), ty: kind()))
      case 6: try document.delete(obj: object, key: key())
      case 7: try document.delete(obj: object, index: index(in: object))
      case 8: try document.increment(obj: object, key: key(), by: count())
      case 9: try document.increment(obj: object, index: index(in: object), by: count())
      case 10:
        let values = (0..<generator.below(3)).map { _ in value() }
        try document.splice(
          obj: object, start: index(in: object), delete: count(), values: values)
      case 11, 12:
        try document.spliceText(
          obj: object, start: index(in: object), delete: count(), value: text())
      case 13: try document.updateText(obj: object, value: text() + text())
      default:
        try document.mark(
          obj: object, start: index(in: object), end: index(in: object),
          expand: pick([.before, .after, .both, .none]), name: key(), value: value())
      }
    }

    /// Reads everything that takes an object, now and in the past.
    mutating func read() {
      let object = pick(objects)
      let (index, key) = (index(in: object), key())
      if generator.oneIn(4) { heads.append(document.heads()) }
      let past = pick(heads)
      // What is not of the right kind throws; that nothing stops the program is what counts.
      _ = try? document.get(obj: object, key: key)
      _ = try? document.get(obj: object, index: index)
      _ = try? document.getAllAt(obj: object, key: key, heads: past)
      _ = try? document.getAllAt(obj: object, index: index, heads: past)
      _ = try? document.values(obj: object)
      _ = try? document.mapEntriesAt(obj: object, heads: past)
      _ = try? document.path(obj: object)
      _ = (document.keys(obj: object), document.lengthAt(obj: object, heads: past))
      if let cursor = try? document.cursor(obj: object, position: index, heads: past) {
        cursors.append(cursor)
      }
      if !cursors.isEmpty {
        let cursor = pick(cursors)
        _ = try? document.position(obj: object, cursor: cursor)
        _ = try? document.position(obj: object, cursor: cursor, heads: past)
        _ = try? document.marksAt(obj: object, position: .cursor(cursor), heads: past)
      }
      _ = try? document.marksAt(obj: object, position: .index(index), heads: past)
      if let text = try? document.textAt(obj: object, heads: past), document.textEncoding == .utf8 {
        #expect(document.lengthAt(obj: object, heads: past) == UInt64(text.utf8.count))
      }
      _ = document.difference(from: past, to: pick(heads))
    }
  }

  @Test(arguments: TextEncoding.all, [UInt64](0..<10))
  func `no argument stops the program, and what is refused changes nothing`(
    encoding: TextEncoding, seed: UInt64
  ) throws {
    var caller = try Caller(seed: seed, encoding: encoding)
    let document = caller.document
    for step in 0..<150 {
      // What looks at changes closes the transaction; every other edit is to find it open.
      let before = step.isMultiple(of: 2) ? document.save() : nil
      do {
        try caller.edit()
      } catch {
        #expect(error is DocError, "seed \(seed), step \(step)")
        if let before { #expect(document.save() == before, "seed \(seed), step \(step)") }
      }
      if before != nil { caller.read() }
      if step.isMultiple(of: 10) { document.expectSound() }
    }
    document.expectSound()
    let loaded = try Document(document.save())
    let state = try TypedRendering(document: loaded).state()
    #expect(try TypedRendering(document: document).state().firstDifference(from: state) == nil)
  }
}
