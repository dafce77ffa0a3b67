import Folders
import Foundation
import SampleFolders
import Testing

@testable import MigrationCore

/// An app on whose folder all kinds of work are disturbed.
struct DisturbedApp: Sendable {
  let name: String
  /// Nil for Minuta.
  var profile: Profile?
  /// A directory of the folder.
  let part: String
  /// The JSON that a clean-up leaves where it is, since it holds more than entities.
  let kept: [String]
  /// What the app writes over what in which files.
  private let edits: [(path: String, old: String, new: String)]

  static let minuta = DisturbedApp(name: "minuta", part: "records", kept: [], edits: [])

  static func all() throws -> [DisturbedApp] { [minuta, try notes(), try habits()] }

  private static func notes() throws -> DisturbedApp {
    var app = DisturbedApp(
      name: "notes", part: "notes", kept: ["notebooks.json"],
      edits: [
        ("notes/welcome.json", #""start","#, #""start", "new","#),
        ("notes/travel/lisbon.json", #""Lisbon""#, #""Lisboa""#),
        ("notebooks.json", "#888888", "#111111"), ("settings.json", "dark", "light"),
      ])
    app.profile = try ProfiledFolder(sample: app.name).profile
    return app
  }

  private static func habits() throws -> DisturbedApp {
    var app = DisturbedApp(
      name: "habits", part: "log", kept: ["habits.json"],
      edits: [
        ("habits.json", #""pages""#, #""chapters""#),
        ("log/2025/2025-01-30.json", "5.2", "6"), ("log/2025/2025-02-28.json", "5\n", "1\n"),
      ])
    app.profile = try ProfiledFolder(sample: app.name).profile
    return app
  }

  /// The folder before any of our commands.
  func sample() throws -> TestFolder {
    guard let profile else {
      let folder = try TestFolder()
      try folder.makeSample {
        $0.recordCount = 6
        $0.monthCount = 2
      }
      return folder
    }
    let folder = try TestFolder(profile: profile)
    try ProfiledFolder(sample: name).folder.copy(to: folder)
    return folder
  }

  /// The app writes other values into several of its files.
  func edit(_ folder: TestFolder) throws {
    for edit in edits {
      let text = try folder.text(edit.path)
      try #require(text.contains(edit.old), "\(edit.path)")
      try folder.write(text.replacing(edit.old, with: edit.new), to: edit.path)
    }
    guard edits.isEmpty else { return }
    for (path, bytes) in try folder.files() where path.hasSuffix(".json") {
      let text = String(decoding: bytes, as: UTF8.self)
      try folder.write(
        text.replacing(#""color":"#, with: #""new":1,"color":"#)
          .replacing(#""startTime":"#, with: #""new":1,"startTime":"#), to: path)
    }
  }
}
