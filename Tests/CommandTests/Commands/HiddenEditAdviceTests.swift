import Foundation
import Testing

/// What `migrate-schema` says to do about an edit that a step hides, done as it says.
@Suite struct HiddenEditAdviceTests {
  private static let id = "11111111-1111-4111-8111-111111111111"

  private static let profile = """
    {"profile": "pc", "version": 1, "kinds": [{
      "kind": "person", "identity": {"type": "uuid", "property": "id"},
      "properties": {"email": {"type": "string"}},
      "files": {"paths": ["people/*.json"]}, "document": {"path": "people.automerge"}}]}
    """

  private static let plan = """
    {"plan": "b", "profile": "pc", "steps": [{"id": "bang", "risk": "transformative",
      "entities": {"person": [{"set": "email", "to": {"concatenate":
        [{"copy": "/email"}, {"constant": "!"}], "separator": ""}}]}}]}
    """

  private func write(_ email: String, to app: ProfiledApp) throws {
    try app.write(#"{"id": "\#(Self.id)", "email": "\#(email)"}"#, to: "people/1.json")
  }

  /// Imports what another device has edited, merges it, and returns what the status says; nil if the edit shows.
  private func hidden(_ value: String) throws -> (app: ProfiledApp, text: String)? {
    let (app, other) = (
      try ProfiledApp(profile: Self.profile, files: [:]),
      try ProfiledApp(profile: Self.profile, files: [:])
    )
    for one in [app, other] {
      try write("e" + value, to: one)
      let run = try one.run("import-crdt", one.folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    let plan = app.place.url.appending(path: "plan.json")
    try Data(Self.plan.utf8).write(to: plan)
    try FileManager.default.removeItem(at: app.url("people"))
    let done = try app.run("migrate-schema", plan.path, app.folder)
    #expect(done.status == 0, "\(done.errors)")
    try write(value, to: other)
    let update = try other.run("import-crdt", other.folder, "--update")
    #expect(update.status == 0, "\(update.errors)")
    try FileManager.default.copyItem(
      at: other.url("people.automerge"), to: app.url("people 2.automerge"))
    let merged = try app.run("merge-conflicts", app.folder)
    #expect(merged.status == 0, "\(merged.errors)")
    let status = try app.run("migrate-schema", plan.path, app.folder, "--status")
    let text = status.output + status.errors
    return text.contains("email shows what the step left") ? (app, text) : nil
  }

  @Test func `the command that it names shows both values, and takes the other one`() throws {
    var hiddenCount = 0
    for value in ["a", "b", "c", "d", "f", "g", "h", "i"] where hiddenCount == 0 {
      guard let (app, text) = try hidden(value) else { continue }
      hiddenCount += 1
      let begin = try #require(text.range(of: "merge-conflicts FOLDER"))
      let rest = text[begin.lowerBound...].prefix { $0 != ";" && $0 != "\n" }
      let words = rest.split(separator: " ").dropFirst().map { word in
        word == "FOLDER" ? app.folder : word == "FILE" ? app.profile : String(word)
      }
      let shown = try run("merge-conflicts", words)
      #expect(shown.status == 0, "\(shown.errors)")
      #expect(shown.output.contains("Would write \(value)") && shown.output.contains("e\(value)!"))
      let taken = try run("merge-conflicts", words.filter { $0 != "--dry-run" })
      #expect(taken.status == 0, "\(taken.errors)")
      let again = try app.run(
        "migrate-schema", app.place.url.appending(path: "plan.json").path, app.folder, "--status")
      #expect(!(again.output + again.errors).contains("email shows"))
    }
    #expect(hiddenCount > 0)
  }
}
