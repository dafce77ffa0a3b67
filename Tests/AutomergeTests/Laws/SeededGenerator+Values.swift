import Automerge
import Foundation

/// The values of random sessions: few keys, so that actors meet, and strings that are counted
/// differently in every unit.
extension SeededGenerator {
  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  mutating func key() -> String {
    pick(["a", "b", "c", "d", "", "é", "e\u{301}", "～", "😀"])
  }

  /// A string of up to a few characters, one of which may be many scalars.
  mutating func string(upTo count: Int = 4) -> String {
    let pieces = [
      "a", "b", "c", "x", "y", "z", " ", "\n", "é", "e\u{301}", "\u{301}", "ß", "한", "本",
      "\u{fffc}",
      "😀", "👩‍👧", "🇩🇪", "\r\n", "\u{0}",
    ]
    return (0..<below(count + 1)).map { _ in pick(pieces) }.joined()
  }

  mutating func scalar() -> ScalarValue {
    switch below(16) {
    case 0: .Null
    case 1: .Boolean(oneIn(2))
    case 2: .Uint(next() >> UInt64(below(64)))
    case 3: .Int(Int64(bitPattern: next()) >> Int64(below(64)))
    case 4: .F64(pick([0, -0.0, 1.5, .infinity, .nan, Double(bitPattern: next())]))
    case 5: .Bytes(Data((0..<below(4)).map { _ in byte() }))
    // A quarter of a second is exact in the seconds of a `Date` and in milliseconds.
    case 6: .Timestamp(Date(timeIntervalSince1970: Double(below(1 << 32)) / 4 - 1e8))
    case 7: .Unknown(typeCode: UInt8(10 + below(6)), data: Data([byte(), byte()]))
    case 8, 9, 10: .Counter(Int64(below(100)) - 20)
    default: .String(string())
    }
  }

  mutating func objectKind() -> ObjType { pick([.Map, .List, .Text]) }

  mutating func actor() -> ActorId {
    // Few first bytes and all lengths, so that some ids begin with others.
    let bytes = (0..<(1 + below(4))).map { _ in UInt8(pick([0x00, 0x01, 0x7f, 0xff])) }
    let tail = oneIn(2) ? [] : (0..<12).map { _ in byte() }
    return ActorId(data: Data(bytes + tail)) ?? ActorId()
  }
}
