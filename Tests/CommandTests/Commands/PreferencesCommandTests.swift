import Foundation
import Testing

/// Entities that an app keeps in its preferences, read with its store, as a user meets them.
@Suite struct PreferencesCommandTests {
  private let place: TemporaryDirectory
  /// The identities of two pets of the store.
  private let pets: [String]

  init() throws {
    place = try TemporaryDirectory()
    let made = try CommandTests.run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [place.url.appending(path: "app").path, "--profile", "laundrytime", "--rows", "60"],
      input: nil)
    #expect(made.status == 0, "\(made.errors)")
    let rows = try CommandTests.run(
      "export-json", place.url.appending(path: "app/default.store").path)
    pets = rows.jsonLines.filter { $0["kind"] as? String == "pet" }.prefix(3)
      .compactMap { $0["id"] as? String }
    #expect(pets.count == 3)
  }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }
  private var store: String { path("app/default.store") }

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandTests.run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  private func write(
    _ content: [String: Any], to name: String,
    as format: PropertyListSerialization.PropertyListFormat = .binary
  ) throws {
    try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0)
      .write(to: place.url.appending(path: name))
  }

  /// A timer as the app's encoder writes it: a date is seconds since 2001.
  private func timer(_ pet: String, end: String = "800000000.25", type: String = "wash") -> Data {
    Data(#"{"petID":"\#(pet)","endTime":\#(end),"timerType":"\#(type)"}"#.utf8)
  }

  /// Three timers, in each form that preferences have: bytes, a dictionary, a string.
  private func timers() -> [String: Any] {
    [
      "pet_timer_\(pets[0])": timer(pets[0]),
      "pet_timer_\(pets[1])": [
        "petID": pets[1], "timerType": "dry", "endTime": Date(timeIntervalSinceReferenceDate: 5e8),
      ],
      "pet_timer_\(pets[2])": String(decoding: timer(pets[2], type: "cycle"), as: UTF8.self),
      "pet_timer": "no timer", "hasSeenOnboarding": true, "other": [1, 2, 3],
    ]
  }

  private func timerLines(_ run: CommandRun) -> [[String: Any]] {
    run.jsonLines.filter { $0["kind"] as? String == "timer" }
  }

  @Test func `timers become documents with the rows of the store, and are proven`() throws {
    try write(timers(), to: "binary.plist")
    try write(timers(), to: "text.plist", as: .xml)
    let exported = try run("export-json", store, "--preferences", path("binary.plist"))
    #expect(exported.status == 0, "\(exported.errors)")
    let lines = timerLines(exported)
    #expect(lines.count == 3)
    let first = try #require(lines.first { $0["id"] as? String == pets[0] })
    #expect(
      first["fields"] as? [String: String]
        == ["petID": pets[0], "endTime": "2026-05-09T06:13:20.250Z", "timerType": "wash"])
    #expect(first["types"] == nil)
    let text = try run("export-json", store, "--preferences", path("text.plist"))
    // Only the order of members that a dictionary has may differ.
    #expect(timerLines(text) as NSArray == lines as NSArray)
    // Without the preferences nothing is said of timers.
    #expect(timerLines(try run("export-json", store)).isEmpty)

    for (folder, list) in [("one", "binary.plist"), ("two", "text.plist")] {
      let imported = try run(
        "import-crdt", store, "--into", path(folder), "--preferences", path(list))
      #expect(imported.status == 0, "\(imported.errors)")
      let verified = try run(
        "verify-counts", path(folder), "--against", store, "--preferences", path(list), "--json")
      #expect(verified.status == 0, "\(verified.output)")
      let count = try #require(verified.jsonLines.first { $0["kind"] as? String == "timer" })
      #expect(count["equal"] as? Int == 3 && count["proven"] as? Int == 3)
    }
    let documents = try ["one", "two"].map {
      try Data(contentsOf: place.url.appending(path: "\($0)/timers.automerge"))
    }
    #expect(documents[0] == documents[1])
    // A stream of both imports to the same.
    try Data(exported.output.utf8).write(to: place.url.appending(path: "stream.jsonl"))
    let streamed = try CommandTests.run(
      BuiltCommands.directory.appending(path: "import-crdt"),
      ["-", "--into", path("three"), "--profile", "laundrytime"],
      input: exported.output)
    #expect(streamed.status == 0, "\(streamed.errors)")
    #expect(
      try Data(contentsOf: place.url.appending(path: "three/timers.automerge")) == documents[0])
    // A verification without the preferences says what it did not look at, and finds nothing wrong.
    let partly = try run("verify-counts", path("one"), "--against", store, "--json")
    #expect(partly.status == 0, "\(partly.output)")
    #expect(partly.jsonLines.contains { $0["code"] as? String == "not-looked-at" })
  }

  @Test func `a timer that changed is found, and brought up to date`() throws {
    try write(timers(), to: "app.plist")
    let list = path("app.plist")
    #expect(
      try run("import-crdt", store, "--into", path("data"), "--preferences", list).status == 0)
    var later = timers()
    later["pet_timer_\(pets[0])"] = timer(pets[0], end: "800000100")
    later["pet_timer_\(pets[1])"] = nil
    try write(later, to: "app.plist")
    let differs = try run(
      "verify-counts", path("data"), "--against", store, "--preferences", list, "--json")
    #expect(differs.status == 1)
    let codes = Set(differs.jsonLines.compactMap { $0["code"] as? String })
    #expect(codes.contains("diverged") && codes.contains("extra-entity"))
    let updated = try run(
      "import-crdt", store, "--into", path("data"), "--preferences", list, "--update")
    #expect(updated.status == 0, "\(updated.errors)")
    let now = try run(
      "verify-counts", path("data"), "--against", store, "--preferences", list, "--json")
    // What the app has no timer for any more stays in the documents.
    #expect(Set(now.jsonLines.compactMap { $0["code"] as? String }).contains("extra-entity"))
    #expect(!now.jsonLines.contains { $0["code"] as? String == "diverged" })
  }

  @Test func `a store is migrated and checked with what its app keeps beside it`() throws {
    try write(timers(), to: "app.plist")
    let migrated = try run(
      "migrate-folder", store, path("data"), "--preferences", path("app.plist"))
    #expect(migrated.status == 0, "\(migrated.output)\(migrated.errors)")
    #expect(
      FileManager.default.fileExists(
        atPath: place.url.appending(path: "data/timers.automerge").path))
    let checked = try run("verify-counts", store, "--preferences", path("app.plist"), "--json")
    #expect(checked.status == 0 && checked.summary?["rowsRead"] as? Int == 63)
  }

  @Test func `what is no timer is told and left out, and the others are read`() throws {
    var content = timers()
    content["pet_timer_not-a-uuid"] = timer(pets[0])
    content["pet_timer_\(UUID().uuidString)"] = 12
    content["pet_timer_\(UUID().uuidString)"] = Data("[1, 2".utf8)
    content["pet_timer_\(UUID().uuidString)"] = Data("[1, 2]".utf8)
    content["pet_timer_\(UUID().uuidString)"] = Data(repeating: 0x7b, count: 2 << 20)
    content["pet_timer_\(UUID().uuidString)"] = Data(
      (String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)).utf8)
    try write(content, to: "odd.plist")
    let imported = try run(
      "import-crdt", store, "--into", path("data"), "--preferences", path("odd.plist"), "--json")
    #expect(imported.status == 1)
    let told = imported.jsonLines.filter { $0["severity"] as? String == "error" }
    #expect(told.count == 6, "\(told)")
    let shown = try run(
      "export-json", path("data"), "--profile", "laundrytime")
    #expect(timerLines(shown).count == 3)
    // Nobody says that all is there when that was not read.
    let verified = try run(
      "verify-counts", path("data"), "--against", store, "--preferences", path("odd.plist"),
      "--json")
    let untold = verified.jsonLines.filter { $0["severity"] as? String == "error" }
    #expect(verified.status == 1 && untold.count == 6, "\(untold)")
  }

  /// A binary property list in which many keys of timers have one value.
  private func shared(_ value: Data, by count: Int) -> Data {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }
    var objects = [Data([0xdf, 0x11] + number(count, 2))]
    for index in 1...count { objects[0] += number(index, 2) }
    for _ in 1...count { objects[0] += number(count + 1, 2) }
    for _ in 1...count {
      objects.append(Data([0x5f, 0x10, 46] + Array("pet_timer_\(UUID().uuidString)".utf8)))
    }
    objects.append(Data([0x4f, 0x12] + number(value.count, 4)) + value)
    var (list, offsets) = (Data("bplist00".utf8), [UInt8]())
    for object in objects {
      offsets += number(list.count, 4)
      list += object
    }
    let table = list.count
    return list + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + number(objects.count, 8) + number(0, 8)
      + number(table, 8)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a value that many keys name costs no more than one`() throws {
    for value in [Data(repeating: 0x7b, count: 1 << 20), timer(pets[0])] {
      try shared(value, by: 9000).write(to: place.url.appending(path: "shared.plist"))
      let read = try run("export-json", store, "--preferences", path("shared.plist"))
      #expect(read.status == (value.count > 1000 ? 65 : 0), "\(read.errors)")
    }
  }

  @Test func `what are no preferences is damaged, and nothing is written`() throws {
    try write(timers(), to: "whole.plist")
    let whole = try Data(contentsOf: place.url.appending(path: "whole.plist"))
    var many: [String: Any] = [:]
    for _ in 0..<10_001 { many["pet_timer_\(UUID().uuidString)"] = "{}" }
    try write(many, to: "many.plist")
    let hostile: [(String, Data)] = [
      ("cut.plist", whole.dropLast(20)), ("text.plist", Data("pet_timer_".utf8)),
      ("empty.plist", Data()),
      (
        "array.plist",
        try PropertyListSerialization.data(
          fromPropertyList: [1], format: .binary, options: 0)
      ),
      (
        "deep.plist",
        Data(
          ("<?xml version=\"1.0\"?><plist><dict><key>pet_timer_x</key>"
            + String(repeating: "<array>", count: 10_000)).utf8)
      ),
    ]
    for (name, bytes) in hostile { try bytes.write(to: place.url.appending(path: name)) }
    for name in hostile.map(\.0) + ["many.plist"] {
      let imported = try run(
        "import-crdt", store, "--into", path("data"), "--preferences", path(name))
      #expect(imported.status == 65, "\(name): \(imported.errors)")
      #expect(!FileManager.default.fileExists(atPath: path("data/timers.automerge")))
    }
    #expect(try run("export-json", store, "--preferences", path("none.plist")).status == 66)
  }

  @Test func `where no store is, or one of an app without such keys, it is wrong usage`() throws {
    try write(timers(), to: "app.plist")
    let list = path("app.plist")
    let folder = try SmallFolder()
    #expect(try run("export-json", folder.path, "--preferences", list).status == 64)
    #expect(try run("import-crdt", folder.path, "--preferences", list).status == 64)
    #expect(try run("verify-counts", folder.path, "--preferences", list).status == 64)
    #expect(try run("migrate-folder", folder.path, "--preferences", list).status == 64)
    #expect(try run("verify-counts", store, "--status", "--preferences", list).status == 64)
    #expect(try run("generate-store", path("habits")).status == 0)
    let other = try run("export-json", path("habits/CloudKit.store"), "--preferences", list)
    #expect(other.status == 64 && other.errors.contains("the profile ritualist"))
  }
}
