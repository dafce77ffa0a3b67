import FileFaults
import Folders
import Testing

@Suite struct PropertyTableTests {
  @Test func `properties are found by the bytes of their names`() {
    var generator = TestRandom(seed: 5)
    for count in [0, 1, 2, 3, 10, 100] {
      var names = Set<[UInt8]>([Array("é".utf8), Array("e\u{301}".utf8)].prefix(count))
      while names.count < count {
        let length = Int.random(in: 1...4, using: &generator)
        names.insert((0..<length).map { _ in UInt8.random(in: 97...100, using: &generator) })
      }
      let table = PropertyTable(
        names.shuffled(using: &generator).map { Property(PropertyName($0), .json) })
      #expect(table.map(\.name.bytes) == names.sorted { $0.lexicographicallyPrecedes($1) })
      for (index, property) in table.enumerated() {
        #expect(table.index(of: property.name.bytes.span) == index)
        let longer = property.name.bytes + [0]
        #expect(table.index(of: longer.span) == nil)
      }
      #expect(table.index(of: Array("".utf8).span) == nil)
      #expect(table["zzz"] == nil)
    }
  }
}
