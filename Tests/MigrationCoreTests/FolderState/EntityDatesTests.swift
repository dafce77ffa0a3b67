import SafeFiles
import Testing

@testable import FolderState
@testable import Folders
@testable import MigrationCore
@testable import Runs

@Suite struct EntityDatesTests {
  private static let path = "notes/welcome.json"

  private func inventory(
    of app: ProfiledFolder, _ context: RunContext
  ) throws -> (folder: Directory, inventory: FolderInventory, file: Int) {
    let folder = try Directory.open(path: app.folder.path)
    var inventory = try FolderAccess.wholeInventory(of: folder, as: context.kinds)
    #expect(try inventory.groupByDates(in: folder, EntityRules(), context).isEmpty)
    let file = inventory.indices.first { inventory.path(of: $0).description == Self.path }
    return (folder, inventory, try #require(file))
  }

  @Test func `what was read for its date is what is worked on, and the file is as it is`() throws {
    let app = try ProfiledFolder(sample: "notes")
    let (folder, inventory, file) = try inventory(of: app, app.context())
    let before = try app.folder.bytes(Self.path)
    try app.folder.write("{}", to: Self.path)
    var kept = LegacyReader(folder, inventory, takesKept: true)
    kept.read(file)
    #expect(Array(kept.source) == before)
    #expect(kept.state?.size == Int64(before.count))
    #expect(kept.batch.entities.count == 1)
    // Whoever moves a file looks at the file.
    var fresh = LegacyReader(folder, inventory)
    fresh.read(file)
    #expect(Array(fresh.source) == Array("{}".utf8))
  }

  @Test func `without room for what was read files are read again`() throws {
    let app = try ProfiledFolder(sample: "notes")
    var context = app.context()
    context.temporaryDirectory = "/nowhere/at/all"
    // More than is held in memory.
    let note = String(decoding: try app.folder.bytes(Self.path), as: UTF8.self)
    let padded = note + String(repeating: " ", count: 900_000)
    for number in 0..<4 { try app.folder.write(padded, to: "notes/copy of \(number).json") }
    let (folder, inventory, file) = try inventory(of: app, context)
    var reader = LegacyReader(folder, inventory, takesKept: true)
    reader.read(file)
    #expect(Array(reader.source) == Array(note.utf8))
    for file in inventory.indices where inventory.path(of: file).description.contains("copy of") {
      reader.read(file)
      #expect(reader.source.count == padded.utf8.count)
    }
  }
}
