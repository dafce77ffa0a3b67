import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

/// Sample folders of profiles; that they are imported and proven is looked at where imports are.
@Suite struct DeclaredSampleTests {
  private static let text = """
    {"profile": "shelf", "version": 1, "kinds": [
      {"kind": "book", "identity": {"type": "uuid", "property": "id"},
       "files": {"paths": ["books/**/*.json"]},
       "document": {"path": "books/{year}-{month}.automerge", "month": "bought"},
       "properties": {
        "bought": {"type": "date", "required": true}, "read": {"type": "date"},
        "stars": {"type": "integer"}, "author": {"type": "reference", "kind": "author"},
        "cover": {"type": "string"}, "text": {"type": "text"}},
       "attachments": [{"property": "cover", "directories": ["covers"]}],
       "checks": [{"property": "stars", "minimum": 1, "maximum": 5},
        {"property": "bought", "notAfter": "read"}]},
      {"kind": "author", "identity": {"type": "string", "property": "name"},
       "files": {"paths": ["authors.json"], "elements": "/authors", "stays": ["/version"]},
       "document": {"path": "authors.automerge"},
       "properties": {"born": {"type": "integer"}}},
      {"kind": "settings", "identity": {"type": "singleton"},
       "files": {"paths": ["settings.json"]},
       "document": {"path": "settings.automerge"}, "properties": {}}
    ]}
    """

  private func profile(_ text: String = Self.text) throws -> Profile {
    try Profile(parsing: Array(text.utf8), of: "shelf.json")
  }

  private func files(_ plan: SamplePlan) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    try DeclaredSample(plan, of: profile()).forEachFile { file in
      #expect(files.updateValue(file.bytes, forKey: "\(file.path)") == nil, "made twice")
    }
    return files
  }

  private func object(_ bytes: [UInt8]?) throws -> [String: Any] {
    let bytes = try #require(bytes)
    // Foundation does not take a byte order mark.
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    let parsed = try JSONSerialization.jsonObject(with: Data(text))
    return try #require(parsed as? [String: Any])
  }

  @Test func `equal plans give equal bytes, and another seed others of as many`() throws {
    var plan = SamplePlan()
    let first = try files(plan)
    #expect(try files(plan) == first)
    plan.seed = 2
    let second = try files(plan)
    #expect(second != first)
    for files in [first, second] {
      let books = files.keys.filter { $0.hasPrefix("books/") }
      let authors = try object(files["authors.json"])
      let list = try #require(authors["authors"] as? [Any])
      #expect(authors["version"] != nil && authors.count == 2)
      #expect(books.count > 250 && list.count > 3 && files["settings.json"] != nil)
      #expect(books.count + list.count + 1 == plan.recordCount)
      #expect(books.contains { $0.filter { $0 == "/" }.count > 1 })
    }
  }

  @Test func `every state of a member occurs, and values are as the profile expects`() throws {
    let made = try files(SamplePlan())
    let authors = try #require(try object(made["authors.json"])["authors"] as? [[String: Any]])
    let names = Set(authors.compactMap { $0["name"] as? String })
    #expect(names.count == authors.count)
    var states: [String: Int] = [:]
    var identities: Set<String> = []
    var months: Set<String> = []
    for (path, bytes) in made where path.hasPrefix("books/") {
      let book = try object(bytes)
      identities.insert(try #require(book["id"] as? String))
      let bought = try #require((book["bought"] as? String).flatMap { RFC3339($0) })
      months.insert("\(Month(milliseconds: bought.milliseconds))")
      if let read = book["read"] as? String {
        #expect(try #require(RFC3339(read)).milliseconds >= bought.milliseconds)
      }
      if let stars = book["stars"] as? Int { #expect(1...5 ~= stars) }
      if let author = book["author"] as? String { #expect(names.contains(author)) }
      if let cover = book["cover"] as? String { #expect(made["covers/" + cover] != nil) }
      for name in ["read", "stars", "author", "text"] {
        states["absent", default: 0] += book[name] == nil ? 1 : 0
        states["null", default: 0] += book[name] is NSNull ? 1 : 0
      }
      states["cover", default: 0] += book["cover"] is String ? 1 : 0
      states["undeclared", default: 0] += book["x-device"] == nil ? 0 : 1
    }
    #expect(identities.count == made.keys.count { $0.hasPrefix("books/") })
    #expect(months.count == SamplePlan().monthCount)
    for state in ["absent", "null", "undeclared"] { #expect(states[state, default: 0] > 0) }
    #expect(states["cover", default: 0] == made.keys.count { $0.hasPrefix("covers/") })
    let sizes = made.filter { $0.key.hasPrefix("books/") }.map(\.value.count)
    #expect(150...700 ~= sizes.reduce(0, +) / sizes.count)
  }

  @Test func `a file of a list stays as small as readers take it`() throws {
    let list = """
      {"profile": "list", "version": 1, "kinds": [
        {"kind": "row", "identity": {"type": "uuid", "property": "id"},
         "files": {"paths": ["rows.json"], "elements": ""},
         "document": {"path": "rows.automerge"},
         "properties": {"text": {"type": "text", "required": true}}}]}
      """
    var plan = SamplePlan()
    plan.recordCount = 1_000_000
    plan.monthCount = 1
    let described = try profile(list)
    let problem = #expect(throws: SampleProblem.self) { try DeclaredSample(plan, of: described) }
    let words = try #require(problem?.text.split(separator: " "))
    #expect(words.starts(with: ["there", "is", "room", "for"]))
    plan.recordCount = try #require(Int(words[4].filter { $0 != "," }))
    #expect(plan.recordCount > 5000)
    var sizes: [Int] = []
    try DeclaredSample(plan, of: described).forEachFile { sizes.append($0.bytes.count) }
    #expect(sizes.count == 2 && sizes.allSatisfy { $0 < 16 << 20 })
  }

  @Test func `what is no folder, or too much of one, is told`() throws {
    let values = try profile(
      """
      {"profile": "v", "version": 1, "kinds": [
        {"kind": "k", "identity": {"type": "singleton"}, "properties": {}}]}
      """)
    #expect(throws: SampleProblem.self) { try DeclaredSample(SamplePlan(), of: values) }
    var plan = SamplePlan()
    plan.recordCount = .max
    #expect(throws: SampleProblem.self) { try DeclaredSample(plan, of: profile()) }
    plan.recordCount = -1
    #expect(throws: SampleProblem.self) { try DeclaredSample(plan, of: profile()) }
    plan.recordCount = 0
    #expect(try files(plan).keys.sorted() == [".DS_Store"])
  }

  @Test func `an example of a pattern matches it`() throws {
    var random = SeededRandom(seed: 1)
    for text in ["", "*", "?", "#[0-9A-F][0-9A-F]", "[a-z]*[\u{d7ff}-\u{e001}]\\*\\[", "é?[–]*x"] {
      let pattern = try #require(TextPattern(text))
      for _ in 0..<50 {
        let example = pattern.example { random.number(below: $0) }
        #expect(pattern.matches(example.utf8), "\(text): \(example)")
      }
    }
  }
}
