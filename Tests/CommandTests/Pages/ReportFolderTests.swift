import Foundation
import Testing

/// `report-folder`: the page that shows where a folder stands.
@Suite struct ReportFolderTests {
  @Test func `the page shows every part of a folder, and nothing in it is written`() throws {
    let place = try ReportedFolder()
    let before = try place.folder.snapshot()
    let (run, html) = try place.report()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("migrated, 3 documents, 1 conflict;"), "\(run.output)")
    #expect(try place.folder.snapshot() == before)
    let page = PageElements(html)
    #expect(page.defects == [])
    for text in [
      place.path, "migrated", "migrate-folder --cleanup", "tag: 1 in JSON, 1 in documents",
      "record: 2 in JSON, 2 in documents", "2024-01", "2024-02", "notes.txt", "foreign-file",
      ReportedFolder.document, "from the desk", "from the bus", SmallFolder.firstID,
      "import-crdt", "Minuta-backups", "just now", "Nothing is in quarantine.",
    ] {
      #expect(html.contains(text), "\(text)")
    }
  }

  @Test func `a conflict is shown with all its values, and which of them readers see`() throws {
    let place = try ReportedFolder(values: ["one", "two", "three"])
    let (_, html) = try place.report()
    let conflicts = try CommandTests.run(
      "inspect-crdt", place.folder.file(ReportedFolder.document).path, "--conflicts")
    let listed = try #require(
      try JSONSerialization.jsonObject(with: Data(conflicts.output.utf8)) as? [[String: Any]])
    #expect(listed.count == 1)
    let values = try #require(listed[0]["values"] as? [[String: Any]])
    let shown = html.matches(of: /<div class="value( shown)?"><p>&quot;([a-z]+)&quot;<\/p>/)
    #expect(shown.map { String($0.2) }.sorted() == ["one", "three", "two"])
    #expect(values.count == 3)
    #expect(shown.filter { $0.1 != nil }.count == 1)
    let winner = try #require(shown.last { $0.1 != nil })
    let plain = try CommandTests.run(
      "inspect-crdt", place.folder.file(ReportedFolder.document).path, "--plain")
    #expect(plain.output.contains(#""comment":"\#(winner.2)""#), "\(plain.output)")
    #expect(html.contains("2026-01-06T"))
  }

  @Test func `a clean folder shows its quarantine, and what was not compared`() throws {
    let folder = try SmallFolder()
    let (_, quarantine) = try folder.clean()
    let page = folder.parent.appending(path: "page.html")
    let run = try run("report-folder", folder.path, "-o", page.path)
    #expect(run.status == 0, "\(run.errors)")
    let html = try String(contentsOf: page, encoding: .utf8)
    let name = try #require(quarantine.split(separator: "/").last)
    #expect(html.contains("cleaned") && html.contains("--bring-back \(name)"))
    #expect(html.contains("<p>Nothing.</p>"))
    #expect(html.contains("standing good") == html.contains("nothing was left out"))
    #expect(html.contains("Nothing differs"))
    #expect(html.contains("record: 2 in quarantine, 2 in documents"))
    #expect(html.contains(#"json"></span>quarantine"#) && !html.contains("in JSON"))
  }

  @Test(arguments: [1, 3, 24, 100])
  func `labels of months stay in the picture and do not run into each other`(
    months: Int
  ) throws {
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "F").path
    let made = try run(
      "generate-folder", folder, "--records", "\(months * 2)", "--months", "\(months)", "--quiet")
    #expect(made.status == 0, "\(made.errors)")
    let page = place.url.appending(path: "page.html")
    _ = try run("report-folder", folder, "-o", page.path)
    let html = try String(contentsOf: page, encoding: .utf8)
    let labels = html.matches(
      of: #/<text x="([0-9.]+)" y="174" text-anchor="middle">\d{4}-\d\d</#)
    let places = labels.compactMap { Double($0.1) }
    #expect(!places.isEmpty && places.count == labels.count)
    // Seven characters of 11 pixels are up to 47 wide.
    for (one, next) in zip(places, places.dropFirst()) { #expect(next - one > 50) }
    // What fits on a telephone is no wider, and what does not scrolls there.
    let width: Double = months <= 3 ? 320 : 720
    let months = html.matches(of: #/<svg class="(\w+)" viewBox="0 0 (\d+) 180"/#).last
    #expect(months.map { Double($0.2) } == width)
    #expect(months?.1 == (width == 320 ? "narrow" : "wide"))
    #expect(
      html.contains(#"role="region" aria-label="record by month"><svg class="wide""#)
        == (width == 720))
    #expect(try #require(places.first) > 23 && #require(places.last) < width - 23)
    if places.count == 1 { #expect(places == [width / 2]) }
    #expect(!html.contains(#"text-anchor="start""#))
  }

  @Test func `a folder that has lost its documents is not empty, but bad`() throws {
    let folder = try SmallFolder()
    #expect(try CommandTests.run("import-crdt", folder.path).status == 0)
    for file in ["tags.json", "tags.automerge", "records"] { try folder.remove(file) }
    let page = folder.parent.appending(path: "page.html")
    let run = try run("report-folder", folder.path, "-o", page.path)
    #expect(run.status == 1, "\(run.output)")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains("standing bad") && html.contains("In the way: 1 × missing-file."))
    #expect(html.contains("documents were made here, and there is none any more"))
  }

  @Test func `what is left out keeps a page from saying that all is there`() throws {
    let folder = try SmallFolder()
    try folder.remove("records/2024/01/\(SmallFolder.firstID)_0.jpg")
    #expect(try CommandTests.run("import-crdt", folder.path).status == 0)
    let page = folder.parent.appending(path: "page.html")
    let run = try run("report-folder", folder.path, "-o", page.path)
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(run.status == 0 && html.contains("standing warn"), "\(run.errors)")
    #expect(html.contains("Not everything was") && html.contains("missing-image"))
    #expect(!html.contains("nothing was left out"))
  }

  @Test func `a damaged document is an error of the page and of its status`() throws {
    let place = try ReportedFolder()
    let file = place.folder.file(ReportedFolder.document)
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 0xff
    try bytes.write(to: file)
    let (run, html) = try place.report()
    #expect(run.status == 1)
    #expect(html.contains("Damaged: \(ReportedFolder.document).") && html.contains("standing bad"))
    #expect(html.contains("damaged-document"))
    #expect(!html.contains("Nothing differs"))
    // What repairs it comes before what only tells of it.
    #expect(html.contains(#/<code>recover-folder [^<]*</code>\s*</pre>\s*<pre>\s*<code>verify-/#))
    let text = PageElements(html).text
    #expect(text.contains("3 documents") && text.contains("2 documents that load"))
    let line = "1 document does not load, and the table does not have it: "
    #expect(text.contains(line + "\(ReportedFolder.document)."), "\(text)")
  }

  @Test func `what cannot be looked at is said, and the rest is shown`() throws {
    let folder = try SmallFolder()
    let (_, quarantine) = try folder.clean()
    try FileManager.default.removeItem(at: folder.file(quarantine))
    try FileManager.default.createSymbolicLink(
      at: folder.file(quarantine), withDestinationURL: URL(filePath: "/nowhere"))
    let page = folder.parent.appending(path: "page.html")
    let run = try run("report-folder", folder.path, "-o", page.path, "--json")
    #expect(run.status == 1, "\(run.output)")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains("unreadable") && html.contains("tags.automerge"))
    #expect(!html.contains("standing good"))
  }

  @Test func `an unfinished restore is a page that says what finishes it`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.json"])
    let before = try folder.snapshot()
    let page = folder.parent.appending(path: "page.html")
    let run = try run("report-folder", folder.path, "-o", page.path)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains("not told") && html.contains("restore-backup --finish"))
    #expect(try folder.snapshot() == before)
  }

  // MARK: Where it goes

  @Test func `without a file the page is on standard output, and the report is not`() throws {
    let place = try ReportedFolder()
    let run = try run("report-folder", place.path)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("<!DOCTYPE html>") && run.output.hasSuffix("</html>\n"))
    #expect(run.errors.contains("the page has"))
  }

  @Test func `a page is replaced by the next one, and another file is not`() throws {
    let place = try ReportedFolder()
    #expect(try place.report().run.status == 0)
    try place.folder.remove("notes.txt")
    let (again, html) = try place.report()
    #expect(again.status == 0 && !html.contains("notes.txt"))
    try Data("a letter".utf8).write(to: place.page)
    let (refused, letter) = try place.report()
    #expect(refused.status == 73 && letter == "a letter")
    #expect(refused.errors.contains("add --force"), "\(refused.errors)")
    #expect(try place.report("--force").html.contains("</html>"))
    for inside in ["records/2024/page.html", "page.html", "records/page.html"] {
      let file = place.folder.file(inside).path
      for option in ["-o", "--bundle"] {
        let run = try CommandTests.run("report-folder", place.path, option, file, "--force")
        #expect(run.status == 64 && run.errors.contains("inside"), "\(inside): \(run.errors)")
      }
    }
    let both = place.folder.parent.appending(path: "both").path
    #expect(
      try CommandTests.run("report-folder", place.path, "-o", both, "--bundle", both).status == 64)
    #expect(!FileManager.default.fileExists(atPath: both))
    #expect(try CommandTests.run("report-folder", place.path, "--force").status == 64)
    #expect(try CommandTests.run("report-folder", "/nowhere/at/all").status == 66)
  }

  @Test func `who may not see the folder may not see its page`() throws {
    let place = try ReportedFolder()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path)
    #expect(try place.report().run.status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: place.page.path)[.posixPermissions]
    #expect((mode as? Int ?? 0o777) & 0o077 == 0)
  }

  // MARK: What others wrote

  @Test func `hostile names and values are text`() throws {
    let script = #"<script>alert("1")</script><img src=x onerror=alert(2)>"#
    let folder = try SmallFolder()
    try folder.write("x", to: "a\"><img src=x>' onclick='&amp;.txt")
    let place = try ReportedFolder(folder, values: [script, "turned \u{202e} around\u{0}"])
    let (run, html) = try place.report()
    #expect(run.status == 0, "\(run.errors)")
    let page = PageElements(html)
    #expect(page.defects == [])
    #expect(page.names.isDisjoint(with: ["script", "img", "iframe", "link", "object", "form"]))
    #expect(html.contains("&lt;script&gt;alert(") && html.contains("&#39; onclick=&#39;&amp;amp;"))
    #expect(!html.contains("\u{202e}") && !html.contains("\u{0}"))
    #expect(html.matches(of: #/\s(?:src|href|action|style)="[^#"]/#).isEmpty)
    #expect(!html.contains("url(") && !html.contains("@import"))
    #expect(html.contains("default-src &#39;none&#39;"))
  }

  /// A folder in which everything is called secret, and its damaged document; what is told of them, too.
  private func secretFolder() throws -> (folder: SmallFolder, moved: URL) {
    let folder = try SmallFolder()
    try folder.write("x", to: "secretFile.txt")
    try folder.write("x", to: "records/2024/01/secretImage.jpg")
    try folder.write("{broken secretJSON", to: "records/2024/01/secretBroken.json")
    _ = try ReportedFolder(folder, values: ["secretOne", "secretTwo"])
    let damaged = folder.file("records/2024/02.automerge")
    try editAsApp(damaged) { try $0.set("comment", of: SmallFolder.secondID, to: "secretComment") }
    var bytes = try Data(contentsOf: damaged)
    // The checksum: all that it holds can still be read.
    bytes[5] ^= 0xff
    try bytes.write(to: damaged)
    // What others left where we keep things.
    let state = ".automerge-migrate.nosync"
    try folder.write("x", to: "\(state)/quarantine/20260106T120000Z-secretRun/secret.json")
    let history = try FileHandle(forWritingTo: folder.file("\(state)/history.jsonl"))
    try history.seekToEnd()
    try history.write(
      contentsOf: Data(
        (#"{"schema":"automerge-migrate/history","version":1,"run":"secretRun","start":"secretStart","#
          + #""end":"secretEnd","command":"secretCommand","arguments":["secret"],"tool":"secret","#
          + #""status":"secretStatus","problem":"secretProblem"}"# + "\n").utf8))
    try history.close()
    let moved = folder.parent.appending(path: "secretFolder")
    try FileManager.default.moveItem(at: folder.url, to: moved)
    return (folder, moved)
  }

  @Test func `an anonymous page has no name and no value of the folder`() throws {
    let (folder, moved) = try secretFolder()
    let page = folder.parent.appending(path: "page.html")
    func html(_ options: String...) throws -> String {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "report-folder"),
        [moved.path, "-o", page.path, "--backup-dir", "\(folder.path)-backups"] + options,
        input: nil)
      #expect(run.status == 1, "\(run.errors)")
      return try String(contentsOf: page, encoding: .utf8)
    }
    let told = [
      "secretFile", "secretBroken", "secretOne", "secretTwo", "secretFolder", SmallFolder.firstID,
      "secretRun", "secretCommand", "secretProblem",
      "2024/02.automerge", "Minuta-backups",
    ]
    let open = try html()
    for name in told { #expect(open.contains(name), "\(name)") }
    let anonymous = try html("--anonymous")
    for name in told + ["secret", "Küche", "0B1F1C4E", "erste", folder.parent.path] {
      #expect(!anonymous.contains(name), "\(name)")
    }
    #expect(PageElements(anonymous).defects == [])
    for left in [
      "names and values are left out", "damaged-document", "verify-counts NAME", "value 2",
      "2024-01", "import-crdt", "file 1",
    ] {
      #expect(anonymous.contains(left), "\(left)")
    }
  }

  @Test func `a ticket has what helps, and no name and no value`() throws {
    let (folder, moved) = try secretFolder()
    let ticket = folder.parent.appending(path: "ticket.tar")
    func report(_ options: String...) throws -> CommandRun {
      try CommandTests.run(
        BuiltCommands.directory.appending(path: "report-folder"),
        [moved.path, "--bundle", ticket.path, "--backup-dir", "\(folder.path)-backups"] + options,
        input: nil)
    }
    let made = try report()
    #expect(made.status == 1 && made.output.contains("may be sent"), "\(made.errors)")
    #expect(try report().status == 73)
    #expect(try report("--force").status == 1)

    let bytes = try Data(contentsOf: ticket)
    for name in [
      "secret", "Küche", "0B1F1C4E", "5D1F1C4E", "6E1F1C4E", "erste", folder.parent.path,
    ] {
      #expect(bytes.range(of: Data(name.utf8)) == nil, "\(name)")
    }
    let place = folder.parent.appending(path: "opened")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let opened = try CommandTests.run(
      URL(filePath: "/usr/bin/env"), ["tar", "-xvf", ticket.path, "-C", place.path], input: nil)
    #expect(opened.status == 0, "\(opened.errors)")
    #expect(
      Set(opened.output.split(separator: "\n").map(String.init)) == [
        "README.txt", "report.html", "history.jsonl", "backups.jsonl", "quarantine.jsonl",
        "manifests.jsonl", "findings.jsonl", "documents.jsonl", "documents/1.automerge",
      ])
    func lines(_ name: String) throws -> [[String: Any]] {
      CommandRun.jsonLines(
        of: try String(contentsOf: place.appending(path: name), encoding: .utf8))
    }
    #expect(
      try lines("history.jsonl").map { $0["command"] as? String } == ["import-crdt", "other"])
    #expect(try lines("quarantine.jsonl").count == 1)
    #expect(try lines("backups.jsonl").count == 1)
    let listed = try lines("manifests.jsonl")
    let backup = try #require(try lines("backups.jsonl").first)
    #expect(
      listed.count {
        $0["manifest"] as? String == backup["path"] as? String && $0["kind"] as? String == "file"
      } == backup["fileCount"] as? Int)
    let codes = try lines("findings.jsonl").compactMap { $0["code"] as? String }
    #expect(codes.contains("damaged-document") && codes.contains("conflict"))
    // The document is as damaged, and as much of it can be read.
    let original = moved.appending(path: "records/2024/02.automerge").path
    let copy = place.appending(path: "documents/1.automerge").path
    var salvaged: [[String]] = []
    for file in [original, copy] {
      let new = place.appending(path: "new.automerge").path
      let run = try CommandTests.run("repair-crdt", file, "-o", new, "-n", "--json")
      #expect([0, 1].contains(run.status), "\(run.errors)")
      salvaged.append(
        run.jsonLines.filter { $0["type"] as? String == "piece" }.map {
          "\($0["kind"] ?? "") \($0["certainty"] ?? "") \($0["changes"] ?? "")"
        })
    }
    #expect(salvaged[0] == salvaged[1] && !salvaged[0].isEmpty)
  }

  // MARK: Size

  @Test func `a page of many findings, documents and runs stays small`() throws {
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "F").path
    #expect(
      try run(
        "generate-folder", folder, "--records", "3000", "--months", "130", "--quiet"
      ).status == 0)
    #expect(try run("import-crdt", folder, "--layout", "per-record", "--quiet").status == 0)
    for index in 0..<500 {
      try Data("x".utf8).write(to: URL(filePath: "\(folder)/foreign-\(index).txt"))
    }
    let page = place.url.appending(path: "page.html")
    let run = try run("report-folder", folder, "-o", page.path)
    #expect(run.status == 0, "\(run.errors)")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.utf8.count < 150_000, "\(html.utf8.count)")
    // A listing names so many files of others and counts the rest.
    #expect(html.contains(/and 81 more like these/))
    #expect(html.contains("And 2,901 smaller ones"))
    #expect(html.contains("in 11 years from 2"), "years stand together")
  }
}
