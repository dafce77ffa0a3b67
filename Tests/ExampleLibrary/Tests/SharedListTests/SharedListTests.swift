import Foundation
import SharedList
import Testing

@Suite struct SharedListTests {
  @Test func `what two people add at the same time is on both lists`() throws {
    let anna = try SharedList(title: "Weekend")
    try anna.add("bread")
    let ben = try SharedList(file: anna.file())
    try anna.add("milk")
    try ben.add("tea")
    try ben.finish(at: 0)
    #expect(try anna.sync(with: ben) > 0)
    #expect(try anna.items == ben.items)
    #expect(try Set(anna.items.map(\.name)) == ["bread", "milk", "tea"])
    #expect(try anna.items.first?.isDone == true)
  }

  @Test func `a saved list opens as it was`() throws {
    let list = try SharedList(title: "Weekend")
    try list.add("bread")
    #expect(try SharedList(file: list.file()).items == [.init("bread")])
  }

  @Test func `a damaged file is an error, not a list`() throws {
    let list = try SharedList(title: "Weekend")
    try list.add("bread")
    var file = list.file()
    file[file.count / 2] ^= 0xff
    #expect(throws: (any Error).self) { try SharedList(file: file) }
  }
}
