import Automerge
import FolderDocuments

/// Counts the scalars and texts that readers see.
struct ValueCounter: StateVisitor {
  var count = 0

  mutating func begin(_ kind: ObjectKind, count: Int) {}
  mutating func end(_ kind: ObjectKind) {}
  mutating func key(_ name: Range<Int>, valueCount: Int) {}
  mutating func index(_ index: Int, valueCount: Int) {}
  mutating func scalar(_ place: ScalarPlace) { count += 1 }
  mutating func text(_ utf8: [UInt8]) { count += 1 }
  mutating func pause() {}
}
