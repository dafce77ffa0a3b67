import Backups
import Folders
import SafeFiles
import Testing

@Suite struct BackupNameTests {
  private static let noon = FileTime(seconds: 1_767_700_800)

  @Test func `a name says whose, when and which`() {
    let name = BackupName(base: "Minuta", time: Self.noon, counter: 7, isCompressed: false)
    #expect(name.fileName == "Minuta-20260106T120000Z-0007.tar")
    #expect(BackupName(name.fileName) == name)
    let compressed = BackupName(
      base: "a-b", time: Self.noon, counter: 12_345, isCompressed: true)
    #expect(compressed.fileName == "a-b-20260106T120000Z-12345.tar.zst")
    #expect(BackupName(compressed.fileName) == compressed)
  }

  @Test(arguments: [
    "Minuta.tar", "Minuta-20260106T120000Z.tar", "Minuta-20260106T120000Z-1.tar",
    "Minuta-20260106T120000-0001.tar", "Minuta-2026-01-06-0001.tar",
    "Minuta-20260106T120000Z-0001.tar.gz", "Minuta-20260106T12000xZ-0001.tar",
    "Minuta-20260106T120000Z-9223372036854775807.tar", ".backup.0123456789abcdef.tmp.nosync",
  ])
  func `another name is none`(text: String) throws {
    #expect(try BackupName(#require(FileName(text))) == nil)
  }

  @Test(arguments: [
    ("20260106T120000Z", "2026-01-06T12:00:00Z"), ("00000101T000000Z", "0000-01-01T00:00:00Z"),
    ("20240229T235959Z", "2024-02-29T23:59:59Z"), ("20230229T000000Z", nil),
    ("20261306T000000Z", nil), ("20260100T000000Z", nil), ("20260106T240000Z", nil),
    ("99999999T999999Z", nil),
  ])
  func `a name may tell a time that there is not`(time: String, moment: String?) throws {
    let file = try #require(FileName("Minuta-\(time)-0001.tar"))
    #expect(try #require(BackupName(file)).moment?.description == moment)
  }

  @Test func `the order is that of the counter, whatever the clock said`() {
    let early = BackupName(base: "a", time: Self.noon, counter: 9_999, isCompressed: false)
    let late = BackupName(
      base: "a", time: FileTime(seconds: 0), counter: 10_000, isCompressed: true)
    #expect(early < late)
  }

  @Test func `any folder name becomes ASCII without a colon`() {
    #expect(BackupName.base(forFolderNamed: "Minuta") == "Minuta")
    #expect(BackupName.base(forFolderNamed: "Zeit: é/1") == "Zeit_____1")
    #expect(BackupName.base(forFolderNamed: "...") == "folder")
    #expect(BackupName.base(forFolderNamed: ".hidden") == "hidden")
    #expect(BackupName.base(forFolderNamed: String(repeating: "x", count: 300)).count == 180)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_767_700_800, "2026-01-06T12:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
      (-62_167_219_200, "0000-01-01T00:00:00Z"), (.min, "0000-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func `a time is written in UTC`(seconds: Int64, text: String) {
    #expect(UTCText.long(FileTime(seconds: seconds)) == text)
  }
}
