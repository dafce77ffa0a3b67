import Diagnostics
import Folders
import Foundation
import SafeFiles
import Testing

/// The profile of Minuta says what the code about its folder does.
@Suite struct MinutaProfileTests {
  @Test(arguments: [EntityKind.tag, .record])
  func `the properties are the known fields`(kind: EntityKind) throws {
    let properties = try #require(EntityKinds.minuta[kind]).properties
    for field in kind.fields {
      let property = try #require(
        properties[PropertyName(Array(field.memberName.description.utf8))])
      #expect(property.isRequired == field.isRequired, "\(property.name)")
      switch field.valueType {
      case .string:
        let expected: PropertyType = field == .tagId ? .reference(ReferenceTarget("tag")) : .string
        #expect(property.type == expected)
      case .date: #expect(property.type == .date)
      case .boolean: #expect(property.type == .boolean)
      }
    }
    // The images of a record are a list of their own and no field.
    #expect(properties.count == kind.fields.count + (kind == .record ? 1 : 0))
  }

  @Test func `the names of the kinds are known without the profile`() {
    #expect(EntityKinds.minuta.names == Profile.minuta.kinds.map(\.name))
    #expect(EntityKinds.minuta.all == [.tag, .record])
    let own = EntityKinds(.minuta)
    #expect(own.mapping == .frozen && own.names == EntityKinds.minuta.names)
  }

  @Test func `files, months and documents are those of the inventory`() throws {
    let sample = ProfileFileTests.fixtures.appending(path: "sample-folder").path
    var findings: [Finding] = []
    let inventory = try FolderInventory.scan(Directory.open(path: sample), noting: &findings)
    let tag = try #require(Profile.minuta.kind(named: "tag")?.home)
    let record = try #require(Profile.minuta.kind(named: "record")?.home)
    var recordCount = 0
    for file in inventory.indices {
      let path = inventory.path(of: file)
      let isTags = tag.match(path.bytes.span) != nil
      #expect(isTags == (inventory.fileClass(of: file) == .fixedFile), "\(path)")
      let match = record.match(path.bytes.span)
      #expect((match != nil) == (inventory.fileClass(of: file) == .patternFile), "\(path)")
      guard let match else { continue }
      recordCount += 1
      #expect(match.month == inventory.month(of: file))
      let month = try #require(match.month)
      #expect(record.document.path(in: month) == DocumentLayout.documentPath(of: month))
    }
    #expect(recordCount == 300)
    #expect(tag.document.path(in: nil) == RelativePath(FolderNames.tagsDocument))
    #expect(Profile.minuta.lock == FolderNames.writeLock)
  }
}
