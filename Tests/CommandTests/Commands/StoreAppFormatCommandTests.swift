import Foundation
import Testing
import TestStores

/// `export-json STORE --format app` as a user runs it: the JSON that the app itself writes.
@Suite struct StoreAppFormatCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandTests.run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  private func generate(_ options: String...) throws -> String {
    let arguments = ["app-\(options.joined())"] + options
    let made = try CommandTests.run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path(arguments[0])] + options, input: nil)
    #expect(made.status == 0, "\(made.errors)")
    return path(arguments[0])
  }

  private func object(_ run: CommandRun) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    return try #require(json as? [String: Any])
  }

  /// The fields of each line of a kind in the stream of the same stores.
  private func fields(of kind: String, _ stores: String) throws -> [String: [String: Any]] {
    let stream = try run("export-json", stores, "--include-private")
    var fields: [String: [String: Any]] = [:]
    for line in stream.jsonLines where line["kind"] as? String == kind {
      fields[try #require(line["id"] as? String)] = line["fields"] as? [String: Any]
    }
    return fields
  }

  private func list(_ name: String, _ json: [String: Any]) throws -> [[String: Any]] {
    try #require(json[name] as? [[String: Any]])
  }

  @Test func `every row that the app's JSON has is in it, with its values`() throws {
    let stores = try generate("--rows", "200")
    let exported = try run("export-json", stores, "--format", "app")
    #expect(exported.status == 0, "\(exported.errors)")
    let json = try object(exported)
    #expect(
      json.keys.sorted() == [
        "avatar", "categories", "exportedAt", "habitLogs", "habits", "profile", "syncMetadata",
      ])
    let logs = try fields(of: "log", stores)
    let written = try list("habitLogs", json)
    #expect(written.count == logs.count)
    for log in written {
      let id = try #require(log["id"] as? String)
      let row = try #require(logs[id])
      #expect(log["habitID"] as? String == row["habitID"] as? String)
      #expect(log["value"] as? Double == row["value"] as? Double)
      let date = try #require(log["date"] as? String)
      // Whole seconds, and no other time.
      #expect(date.count == 20 && (row["date"] as? String)?.hasPrefix(date.dropLast()) == true)
    }
    let habits = try fields(of: "habit", stores)
    for habit in try list("habits", json) {
      let id = try #require(habit["id"] as? String)
      let row = try #require(habits[id])
      let kind = try #require(habit["kind"] as? [String: Any])
      #expect(kind.keys.first == (row["kindRaw"] as? Int == 1 ? "numeric" : "binary"))
      #expect(habit["name"] as? String == row["name"] as? String)
      #expect(habit["categoryId"] as? String == row["category"] as? String)
      #expect(habit["schedule"] as? NSDictionary == row["scheduleData"] as? NSDictionary)
      #expect(habit["reminders"] as? NSArray == row["remindersData"] as? NSArray)
      // The app reads no place without what triggers it, and the samples do not say that.
      #expect(habit["locationConfiguration"] == nil)
    }
    let places = habits.values.count { $0["locationConfigData"] is [String: Any] }
    #expect(places > 0 && exported.errors.contains("of habit.locationConfigData: the app's JSON"))
    let profile = try #require(json["profile"] as? [String: Any])
    #expect(profile["displayTimezoneMode"] as? String == "Europe/Rome")
    #expect((profile["timezoneChangeHistory"] as? [[String: Any]])?.count == 2)
    let identity = try #require(try fields(of: "profile", stores).first)
    #expect(json["avatar"] as? String == identity.value["avatarImageData"] as? String)
    let sync = try #require(json["syncMetadata"] as? [String: Any])
    #expect(sync["profileId"] as? String == identity.key)
    // What the app leaves out is told.
    for part in ["gender", "1 onboarding entity", "1 personality entity", "precision-reduced"] {
      #expect(exported.errors.contains(part), "\(part): \(exported.errors)")
    }
  }

  @Test func `logs without their parents and values that are not there are told`() throws {
    let orphans = try generate("--rows", "200", "--damage", "orphan-rows")
    let lost = try run("export-json", orphans, "--format", "app")
    #expect(lost.status == 0)
    let written = try list("habitLogs", try object(lost)).count
    let all = try fields(of: "log", orphans).count
    #expect(written < all && lost.errors.contains("\(all - written) log entities of no habit"))
    let empty = try generate("--rows", "200", "--damage", "empty-blobs")
    let replaced = try run("export-json", empty, "--format", "app")
    #expect(replaced.errors.contains("what the app takes then is written"))
    for habit in try list("habits", try object(replaced)) { #expect(habit["schedule"] != nil) }
  }

  @Test func `what no app could read is refused`() throws {
    let planned = try generate("--rows", "200", "--schema-version", "plan")
    let run = try run("export-json", planned, "--format", "app")
    #expect(run.status == 1 && run.errors.contains("without what the app's JSON needs of each"))
    let other = try generate("--profile", "laundrytime")
    let unknown = try self.run("export-json", other, "--format", "app")
    #expect(unknown.status == 64 && unknown.output.isEmpty)
    #expect(unknown.errors.contains("the profile laundrytime has no JSON of the app's own"))
    // A directory of two apps' stores, and one without any.
    let both = try self.run("export-json", place.url.path, "--format", "app", "--to", path("x"))
    #expect(both.status == 78)
    try FileManager.default.createDirectory(
      atPath: path("empty"), withIntermediateDirectories: false)
    let folder = try self.run("export-json", path("empty"), "--format", "app")
    #expect(folder.status == 64 && folder.errors.contains("is no store of SwiftData"))
  }
}
