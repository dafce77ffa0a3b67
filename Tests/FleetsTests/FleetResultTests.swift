import Diagnostics
import Fleets
import Runs
import SafeFiles
import Testing

@Suite struct FleetResultTests {
  static let task = FleetTask(.verifyCounts, options: [])

  static func result(
    of folder: String = "/srv/a", status: Int = 0, output: String = "", talk: String = ""
  ) -> FleetResult {
    FleetResult(
      of: folder, task, status: status, output: Array(output.utf8), talk: Array(talk.utf8),
      host: "here", version: "1", begun: FileTime(seconds: 0, nanoseconds: 0), seconds: 1.5)
  }

  @Test(arguments: [
    (0, FleetResult.Outcome.done), (1, .differs), (75, .busy), (64, .failed), (74, .failed),
    (137, .failed),
  ])
  func `the status says how a folder stands`(status: Int, outcome: FleetResult.Outcome) {
    #expect(Self.result(status: status).outcome == outcome)
  }

  @Test func `a line is read as it was written`() throws {
    let summary =
      #"{"type":"summary","status":1,"records":312,"kinds":{"a":{"b":null}},"seconds":0.25}"#
    let finding =
      #"{"type":"finding","code":"damaged","severity":"error","path":"x.json","message":"is \"torn\"","command":["recover-folder","/srv/a"]}"#
    let warning = #"{"type":"finding","code":"deleted","severity":"warning","message":"no"}"#
    let written = Self.result(
      status: 1,
      output: [#"{"type":"count"}"#, warning, finding, summary].joined(separator: "\n") + "\n",
      talk: "one\ntwo\n")
    let read = try #require(FleetResult(written.line))
    #expect(read.members == written.members)
    #expect(!written.line.contains(0x0a))
    #expect(read.problem == "x.json: is \"torn\"")
    #expect(read.toldCommand == ["recover-folder", "/srv/a"])
    let text = String(decoding: written.line, as: UTF8.self)
    #expect(text.contains(#""summary":{"type":"summary","status":1,"records":312"#))
    #expect(text.contains(#""said":["one","two"]"#))
    #expect(!text.contains("deleted") && !text.contains(#"{"type":"count"}"#))
  }

  @Test func `without a finding the first line that was said is the problem`() {
    #expect(Self.result(status: 74, talk: "no space left\nelse\n").problem == "no space left")
    #expect(Self.result(status: 74).problem.isEmpty)
  }

  @Test func `a line has a bounded length, and says what it leaves out`() {
    let finding = #"{"type":"finding","severity":"error","message":"m"}"# + "\n"
    let long = "{\"type\":\"summary\",\"x\":\"" + String(repeating: "y", count: 1 << 17) + "\"}\n"
    let talk = String(repeating: String(repeating: "z", count: 5000) + "\n", count: 100)
    let result = Self.result(
      status: 1, output: String(repeating: finding, count: 1000) + long, talk: talk)
    #expect(result.line.count < 1 << 17)
    #expect(result.members.integer("furtherFindings") == 980)
    #expect(result.members["summary"] == nil)
  }

  @Test(arguments: [
    "", "{", #"{"type":"folder"}"#, #"{"type":"folder","folder":"a"}"#,
    #"{"type":"summary","folder":"a","status":0}"#, #"["folder"]"#,
    #"{"type":"folder","folder":1,"status":0}"#, #"{"type":"folder","folder":"a","status":"0"}"#,
  ])
  func `what is no result is none`(line: String) {
    #expect(FleetResult(Array(line.utf8)) == nil)
  }
}
