import Diagnostics
import Fleets
import Testing

@Suite struct FolderListTests {
  @Test func `each line names a folder, and empty lines none`() {
    let list = FolderList(Array("/srv/a\n\n/srv/b c/\n/srv/d".utf8), isZeroSeparated: false)
    #expect(list.folders == ["/srv/a", "/srv/b c", "/srv/d"])
    #expect(list.findings.isEmpty)
  }

  @Test func `names that zero bytes end may have lines`() {
    let list = FolderList(Array("a\nb\0c\0".utf8), isZeroSeparated: true)
    #expect(list.folders == ["a\nb", "c"])
  }

  @Test func `a name that looks like an option is told from one`() {
    #expect(
      FolderList(Array("-x\n--all\n".utf8), isZeroSeparated: false).folders == ["./-x", "./--all"])
  }

  @Test func `a folder that is listed twice is run once, and that is told`() {
    let list = FolderList(Array("a\nb\na/\n".utf8), isZeroSeparated: false)
    #expect(list.folders == ["a", "b"])
    #expect(list.findings.map(\.code) == [.duplicateEntity])
    #expect(list.findings.allSatisfy { $0.severity == .info })
  }

  @Test func `a name that no command takes is an error, and the others have their turn`() {
    let list = FolderList([0x61, 0x0a, 0xff, 0x0a, 0x62], isZeroSeparated: false)
    #expect(list.folders == ["a", "b"])
    #expect(list.findings.map(\.code) == [.notLookedAt])
    #expect(list.findings.first?.severity == .error)
    #expect(list.findings.first?.path == "\\xff")
  }

  @Test func `lists are joined, and what both name is told`() {
    var list = FolderList(["a", "b"])
    list.append(FolderList(Array("b\nc\n".utf8), isZeroSeparated: false))
    #expect(list.folders == ["a", "b", "c"])
    #expect(list.findings.map(\.path) == ["b"])
  }

  @Test func `the top of the file system keeps its slash`() {
    #expect(FolderList(Array("/\n".utf8), isZeroSeparated: false).folders == ["/"])
  }
}
