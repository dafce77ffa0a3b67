import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@Suite struct ProfileFileTests {
  static let fixtures = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "fixtures")

  /// The profiles of the golden vectors.
  static let vectors: [String] =
    ((try? FileManager.default.contentsOfDirectory(
      atPath: fixtures.appending(path: "convergent-2").path)) ?? [])
    .filter { !$0.hasSuffix(".md") }.sorted()

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: fixtures.appending(path: path)))
  }

  /// One profile with everything that a profile can say.
  static let everything = """
    {"profile": "all-of_it2", "version": 4, "description": "d", "lock": ".x.lock", "comment": "c",
     "recognizedBy": ["app.json", "notes/**/*.json"], "identifiers": ["1.0", "2.0", "2.0", "3.0"],
     "branches": [{"version": 3, "name": "plan", "comment": "c",
       "tables": [{"kind": "pet", "properties": ["name", "now"], "comment": "c"}]}],
     "kinds": [
       {"kind": "note", "description": "d\\n\\u00e9", "private": true, "comment": "c",
        "identity": {"type": "file", "comment": "c"},
        "files": {"paths": ["notes/**/*.json"], "comment": "c"},
        "document": {"path": "docs/{year}-{month}.automerge", "month": "made", "undated": "docs/none.automerge",
          "comment": "c"},
        "properties": {"z": {"type": "string", "required": true, "comment": "c"}, "é": {"type": "text"},
          "made": {"type": "date", "since": 2}, "gone": {"type": "double", "since": 2, "until": 3},
          "edited": {"type": "date", "description": "x"}, "files": {"type": "list"}, "n": {"type": "decimal"},
          "book": {"type": "reference", "kind": "book", "onDelete": "delete"},
          "see": {"type": "links", "kind": "note", "onDelete": "clear"}, "any": {"type": "reference"}},
        "attachments": [{"property": "files", "directories": [".", "files/{year}/{month}", "files"], "comment": "c"}],
        "checks": [{"property": "n", "minimum": -1.50, "maximum": 1e2, "comment": "c"}, {"property": "z", "pattern": "a*"},
          {"property": "n", "minimum": 0.10}, {"property": "made", "notAfter": "edited"}]},
       {"kind": "book", "identity": {"type": "string", "property": "name"},
        "files": {"paths": ["books.json"], "elements": "/b~1c/0", "stays": ["/version", "/x~0"]},
        "document": {"path": "books.automerge"}, "properties": {}},
       {"kind": "habit", "identity": {"type": "member"},
        "files": {"paths": ["log/{year}/{month}.json"], "members": "", "stays": ["/version"]},
        "document": {"path": "log/{year}/{month}.automerge"}, "properties": {}},
       {"kind": "settings", "identity": {"type": "singleton"},
        "files": {"paths": ["app.json"], "value": "/settings"},
        "document": {"path": "app.automerge"}, "properties": {}},
       {"kind": "pet", "identity": {"type": "row"},
        "rows": {"names": ["PetModel", "Pet"], "uniqueUntil": 3, "single": true, "key": "now", "comment": "c"},
        "document": {"path": "pets.automerge"},
        "properties": {"cards": {"type": "json", "dates": ["/*/at"], "sets": ["/days"]}, "name": {"type": "string"},
          "now": {"type": "integer"}, "most": {"type": "integer"}, "is": {"type": "boolean"},
          "owner": {"type": "reference"}, "ownerID": {"type": "reference"}, "born": {"type": "date"}},
        "checks": [{"property": "now", "atMost": "most"}, {"property": "name", "maximumLength": 30},
          {"property": "name", "timeZone": true}, {"property": "name", "notBlank": true},
          {"property": "born", "past": true}, {"property": "cards", "maximumCount": 24},
          {"property": "cards", "at": "/0/at", "minimum": 0}, {"property": "ownerID", "sameAs": "owner"},
          {"property": "name", "present": true, "when": "is"}]},
       {"kind": "timer", "identity": {"type": "uuid", "property": "id"},
        "rows": {"names": ["timer"], "preferences": "pet_timer_"},
        "document": {"path": "timers.automerge"}, "properties": {}}]}
    """

  static func profile(_ text: String) throws -> Profile {
    try Profile(parsing: Array(text.utf8), of: "x.json")
  }

  @Test func `there are vectors`() { #expect(Self.vectors.count == 21) }

  @Test(arguments: vectors)
  func `the profile of a vector reads, and says nothing of a folder`(vector: String) throws {
    let profile = try Profile(
      parsing: Self.bytes("convergent-2/\(vector)/profile.json"), of: "profile.json")
    #expect(profile.name == "vectors")
    #expect(!profile.describesFolder)
    try Self.expectStable(profile)
  }

  @Test func `everything that a profile can say comes back from its file`() throws {
    let profile = try Self.profile(Self.everything)
    #expect(profile.describesFolder)
    try Self.expectStable(profile)
    let note = try #require(profile.kind(named: "note"))
    #expect(note.properties["gone"] == Property("gone", .double, since: 2, until: 3))
    #expect(
      note.properties["book"]?.type == .reference(ReferenceTarget("book", onDelete: .delete)))
    #expect(
      note.checks.first
        == .range("n", minimum: ExactDecimal("-1.5"), maximum: ExactDecimal("100")))
    #expect(profile.kind(named: "habit")?.home?.content == .members(JSONPointer()))
    let text = String(decoding: profile.file, as: UTF8.self)
    for word in ["\"minimum\": -1.5,", "\"maximum\": 100\n", "\"/b~1c/0\"", "\"/x~0\"", "d\\né"] {
      #expect(text.contains(word), "\(word)")
    }
    let pet = try #require(profile.kind(named: "pet"))
    #expect(
      pet.home?.rows
        == StoreRows(["PetModel", "Pet"], uniqueUntil: 3, isSingle: true, key: "now"))
    #expect(
      profile.kind(named: "timer")?.home?.rows
        == StoreRows(["timer"], preferenceKeys: "pet_timer_"))
    #expect(profile.branches.map(\.name) == ["plan"])
    #expect(profile.branches.first?.properties(of: "pet") == ["name", "now"])
    #expect(profile.branches.first?.properties(of: "note") == nil)
    #expect(pet.properties["cards"]?.nested.dates.map(\.text) == [Array("/*/at".utf8)])
    #expect(pet.checks.last == .presence("name", when: "is"))
    #expect(!text.contains("\"comment\""))
    let home = try #require(note.home)
    #expect(
      home.document.path(in: Month(year: 2024, month: 5))?.description == "docs/2024-05.automerge")
    #expect(home.document.path(in: nil)?.description == "docs/none.automerge")
  }

  @Test(arguments: Profile.builtIn)
  func `a built-in profile is written as its file`(profile: Profile) throws {
    try Self.expectStable(profile)
    #expect(profile.describesFolder == (profile.name == "minuta"))
    #expect(profile.describesStore == (profile.name != "minuta"))
  }

  @Test func `every built-in profile is there under its name`() {
    #expect(Profile.builtIn.map(\.name) == Profile.builtInNames)
    #expect(Profile.builtIn(named: "Minuta") == nil)
  }

  @Test func `a store's entity is known by its names, with a version behind them or without`()
    throws
  {
    let rows = StoreRows(["HabitModel", "Habit"])
    for name in ["HabitModel", "Habit", "HabitModelV1", "HabitV12"] { #expect(rows.holds(name)) }
    for name in ["HabitModelV", "HabitLog", "V1", "HabitModel1", "habit", ""] {
      #expect(!rows.holds(name))
    }
  }

  private static func expectStable(_ profile: Profile) throws {
    let file = profile.file
    let again = try Profile(parsing: file, of: "again.json")
    #expect(again == profile)
    #expect(again.file == file)
    #expect(file.last == UInt8(ascii: "\n") && file.first == UInt8(ascii: "{"))
  }

  @Test func `what a file leaves out and what it says in vain is one value`() throws {
    let long = """
      {"profile": "p", "version": 1, "kinds": [{"kind": "k", "private": false,
        "identity": {"type": "singleton"},
        "properties": {"a": {"type": "reference", "onDelete": "keep", "required": false, "since": 1}}}]}
      """
    let short = """
      {"kinds":[{"properties":{"a":{"type":"reference"}},"identity":{"type":"singleton"},"kind":"k"}],
       "version":1,"profile":"p"}
      """
    #expect(try Self.profile(long) == Self.profile(short))
  }

  @Test func `no change of a byte, and no cut, traps`() throws {
    var generator = TestRandom(seed: 41)
    let bytes = Array(Self.everything.utf8)
    var valid = 0
    for round in 0..<3000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<changed.count, using: &generator)
        switch round % 4 {
        case 0: changed[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: changed.removeSubrange(place..<min(changed.count, place + 9))
        case 2:
          let other = Int.random(in: 0..<changed.count, using: &generator)
          changed.insert(
            contentsOf: bytes[min(place, bytes.count - 9)..<bytes.count].prefix(9), at: other)
        default: changed[place] = Array("{}[]\":,*/.0".utf8).randomElement(using: &generator) ?? 0
        }
      }
      do throws(ProfileError) {
        let profile = try Profile(parsing: changed, of: "x.json")
        valid += 1
        #expect(try Profile(parsing: profile.file, of: "y.json") == profile)
      } catch {
        #expect(error.diagnostic.kind == .damagedInput)
        #expect(error.diagnostic.remedy?.isEmpty == false)
      }
    }
    #expect(valid > 20)
  }

  @Test func `a file that is not there, and one that is too large, are told`() throws {
    let folder = try TestFolder([
      "large.json": String(repeating: " ", count: Profile.largestFile + 1)
    ])
    #expect {
      try Profile(file: folder.url.appending(path: "none.json").path)
    } throws: { error in
      (error as? ProfileError)?.diagnostic.kind == .missingInput
    }
    #expect {
      try Profile(file: folder.url.appending(path: "large.json").path)
    } throws: { error in
      (error as? ProfileError)?.diagnostic.kind == .damagedInput
    }
  }
}
