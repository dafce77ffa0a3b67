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

  @Test(arguments: [EntityKind.tag, .record])
  func `the facts of a kind are known without the profile`(kind: EntityKind) throws {
    let (known, read) = (EntityKinds.minuta, EntityKinds(.minuta))
    #expect(known.isUUID(kind) == read.isUUID(kind))
    #expect(known.isOneEntity(fileOf: kind) == read.isOneEntity(fileOf: kind))
    #expect(known.isFileEach(kind) == read.isFileEach(kind))
    #expect(known.isGroupedByMonth(kind) == read.isGroupedByMonth(kind))
    #expect(known.isDated(kind) == read.isDated(kind))
    #expect(known.hasMonths(kind) == read.hasMonths(kind))
    #expect(known.lock == read.lock)
    // The fields that are known by themselves are those of the profile, too.
    let profile = try #require(read[kind])
    let required = profile.properties.filter(\.isAlwaysThere).map(\.name.bytes)
    let images = profile.attachments.map(\.property.bytes)
    #expect(Set(known.requiredFields(of: kind)) == Set(required))
    #expect(
      known.optionalFields(of: kind)
        == Set(profile.properties.map(\.name.bytes)).subtracting(required + images))
    #expect(known.attachmentKeys(of: kind) == images)
    #expect(known.joinsImages(of: kind) == !images.isEmpty)
  }

  @Test func `what a path means is what the inventory says of the file`() throws {
    let paths = [
      "tags.json", "tags 2.json", "tags.automerge", "tags 2.automerge", "x.json", "x.automerge",
      "records/2024/01/a.json", "records/2024/1/b.json", "records 2/2024/02 2/c.JSON",
      "records/2024-03-04.json", "records/2024/13/2024-04-05.json", "records/old/d.json",
      "records/2024/01/deep/2024-05-06.json", "records/2024/01/e~20240101-120000.json",
      "records/2024/01.automerge", "records/2024/02 (1).automerge", "records/2024/01/a.automerge",
      "records/2024/01/a.jpg", "images/2024/01/b.heic", "elsewhere/2024/01/f.json",
    ]
    let folder = try TestFolder(Dictionary(uniqueKeysWithValues: paths.map { ($0, "") }))
    let inventory = try folder.inventory()
    let kinds = EntityKinds.minuta
    #expect(inventory.indices.count == paths.count)
    for file in inventory.indices {
      let path = inventory.path(of: file)
      let (fileClass, kind) = (inventory.fileClass(of: file), inventory.kind(of: file))
      let group = fileClass.isLegacy ? EntityGroup(kind, month: inventory.month(of: file)) : nil
      #expect(kinds.legacyGroup(ofPath: path) == group, "\(path)")
      #expect(kinds.month(ofPath: path.bytes.span, kind) == inventory.month(of: file), "\(path)")
      let content = kinds.content(ofPath: path.bytes)
      #expect((content != nil) == (fileClass.isData && kind != .other), "\(path)")
      if let content { #expect(content == (kind, fileClass.isDocument), "\(path)") }
    }
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
