import Foundation
import Testing

/// `report-folder` of several folders: one page with a table of all.
@Suite struct FoldersPageTests {
  private let place: TemporaryDirectory

  /// Two folders that can be looked at, one of which was migrated, beside each other.
  init() throws {
    place = try TemporaryDirectory()
    for name in ["first <b>", "second"] {
      let folder = try SmallFolder()
      if name == "second" { _ = try ReportedFolder(folder) }
      try FileManager.default.moveItem(at: folder.url, to: place.url.appending(path: name))
    }
  }

  private var page: URL { place.url.appending(path: "page.html") }

  private func report(_ arguments: String..., input: String? = nil) throws
    -> (run: CommandRun, html: String)
  {
    let run = try CommandTests.run(
      BuiltCommands.directory.appending(path: "report-folder"), arguments, input: input,
      in: place.url)
    // Without a page there is nothing to look at.
    return (run, (try? String(contentsOf: page, encoding: .utf8)) ?? "")
  }

  @Test func `the table names each folder, and leads to what its own page would show`() throws {
    let (run, html) = try report("first <b>", "second", "nowhere", "-o", "page.html")
    #expect(run.status == 66, "\(run.errors)")
    #expect(run.output.contains("first <b>: first <b>: legacy"), "\(run.output)")
    #expect(run.output.contains("second: second: migrated"), "\(run.output)")
    #expect(run.output.contains("The page in page.html has "), "\(run.output)")
    #expect(run.output.contains("3 folders: "), "\(run.output)")
    #expect(run.errors.hasPrefix("nowhere: report-folder: nowhere: "), "\(run.errors)")
    let parts = PageElements(html)
    #expect(parts.defects == [] && !parts.names.contains("b"))
    #expect(html.contains("<title>3 folders: 1 legacy, 1 migrated, 1 not told</title>"))
    let links = html.matches(of: /<th scope="row"><a href="#(folder-\d)">([^<]*)<\/a>/)
    #expect(links.map { String($0.1) } == ["folder-1", "folder-2", "folder-3"])
    #expect(links.map { String($0.2) } == ["first &lt;b&gt;", "second", "nowhere"])
    // Every link leads to an id that is there once.
    let ids = html.matches(of: /\sid="([^"]+)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
    for link in html.matches(of: /href="#([^"]+)"/) {
      #expect(ids.contains(String(link.1)), "\(link.1)")
    }
    #expect(html.matches(of: /<h1[ >]/).count == 1)
    // What a page of one has is in its part.
    let alone = try report("second", "-o", "page.html")
    #expect(alone.run.status == 0)
    for text in ["from the desk", "migrate-folder --cleanup", "tag: 1 in JSON, 1 in documents"] {
      #expect(html.contains(text) && alone.html.contains(text), "\(text)")
    }
    #expect(html.contains("nowhere") && html.contains("This could not be looked at"))
  }

  @Test func `the table counts all entities, of kinds with months, too`() throws {
    let (run, html) = try report("first <b>", "second", "-o", "page.html")
    #expect(run.status == 1, "\(run.errors)")
    let rows = html.matches(
      of: #/</a></th>\s*<td[^>]*>\w+</td>\s*<td[^>]*>(\d+)</td>\s*<td[^>]*>(\d+)</#)
    // A tag, which has no month, and two records.
    #expect(rows.map { String($0.1) } == ["3", "3"], "\(html)")
    #expect(rows.map { String($0.2) } == ["0", "3"])
    let counted = try CommandTests.run(
      BuiltCommands.directory.appending(path: "verify-counts"), ["second", "--json"], input: nil,
      in: place.url)
    let kinds = try #require(counted.summary?["kinds"] as? [String: [String: Any]])
    #expect(kinds.values.reduce(0) { $0 + ($1["documents"] as? Int ?? 0) } == 3)
  }

  @Test func `folders come from a list, too, and the page goes to standard output`() throws {
    let (run, _) = try report("-0", "--folders-from", "-", input: "second\0first <b>\0second\0")
    // What is in no document yet is told.
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.hasPrefix("<!DOCTYPE html>") && run.output.hasSuffix("</html>\n"))
    #expect(PageElements(run.output).defects == [])
    #expect(
      run.errors.contains("2 folders: 1 with status 0 (done), 1 with status 1"), "\(run.errors)")
    let json = try report("second", "first <b>", "--json", "-o", "page.html").run
    let lines = json.jsonLines
    #expect(lines.count == 3)
    #expect(lines.prefix(2).map { $0["place"] as? String } == ["second", "first <b>"])
    #expect(lines.prefix(2).map { $0["folderStatus"] as? String } == ["migrated", "legacy"])
    #expect(lines.last?["folders"] as? Int == 2 && lines.last?["place"] == nil)
  }

  @Test func `without names no folder is called by its own`() throws {
    let (run, html) = try report("first <b>", "second", "nowhere", "--anonymous", "-o", "page.html")
    #expect(run.status == 66, "\(run.errors)")
    for name in ["first &lt;", "second", "nowhere", "from the desk", place.url.path] {
      #expect(!html.contains(name), "\(name)")
    }
    for name in ["FOLDER 1", "FOLDER 2", "FOLDER 3", "is not there"] {
      #expect(html.contains(name), "\(name)")
    }
  }

  @Test func `the page is never in one of the folders, nor over another file`() throws {
    for output in ["second/page.html", "second/records/page.html"] {
      let (run, _) = try report("first <b>", "second", "-o", output)
      #expect(run.status == 64 && run.errors.contains("inside"), "\(output): \(run.errors)")
      #expect(
        !FileManager.default.fileExists(atPath: place.url.appending(path: output).path))
    }
    try Data("a letter".utf8).write(to: page)
    let (refused, letter) = try report("first <b>", "second", "-o", "page.html")
    #expect(refused.status == 73 && letter == "a letter", "\(refused.errors)")
    #expect(try report("second", "first <b>", "--bundle", "ticket.tar").run.status == 64)
    // Who may not see one of them may not see the page.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: place.url.appending(path: "second").path)
    try FileManager.default.removeItem(at: page)
    #expect(try report("first <b>", "second", "-o", "page.html").run.status == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: page.path)[.posixPermissions]
    #expect((mode as? Int ?? 0o777) & 0o077 == 0)
  }
}
