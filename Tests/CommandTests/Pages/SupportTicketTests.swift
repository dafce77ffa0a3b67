import Foundation
import Testing

/// `report-folder --bundle`: what of a ticket helps whoever gets it.
@Suite struct SupportTicketTests {
  @Test func `a ticket keeps the name of every command`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let commands = BuiltCommands.names.filter { $0 != "bench-engine" }
    let lines = commands.enumerated().map { index, command in
      #"{"schema":"automerge-migrate/history","version":1,"run":"\#(index)","start":"","end":"","#
        + #""command":"\#(command)","arguments":[],"tool":"","status":"done"}"# + "\n"
    }
    try folder.write(lines.joined(), to: ".automerge-migrate.nosync/history.jsonl")
    let ticket = folder.parent.appending(path: "ticket.tar")
    let made = try run("report-folder", folder.path, "--bundle", ticket.path)
    #expect(made.status == 0, "\(made.errors)")
    let shown = try member("history.jsonl", of: ticket)
    #expect(shown.compactMap { $0["command"] as? String } == commands)
  }

  @Test func `a ticket says why a document does not load, without its checksum`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let whole = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    try whole.dropLast(1).write(to: folder.file("records/2024/01.automerge"))
    var changed = try Data(contentsOf: folder.file("records/2024/02.automerge"))
    changed[5] ^= 0xff
    try changed.write(to: folder.file("records/2024/02.automerge"))
    let ticket = folder.parent.appending(path: "ticket.tar")
    #expect(try run("report-folder", folder.path, "--bundle", ticket.path).status == 1)
    let findings = try member("findings.jsonl", of: ticket).filter {
      $0["code"] as? String == "damaged-document"
    }
    #expect(findings.count == 2 && findings.allSatisfy { $0["offset"] is Int }, "\(findings)")
    let messages = findings.compactMap { $0["message"] as? String }
    #expect(messages.contains { $0.hasPrefix("the input ends 1 byte too early") }, "\(messages)")
    #expect(messages.contains("checksum is NUMBER, expected NUMBER"), "\(messages)")
  }

  private func member(_ name: String, of ticket: URL) throws -> [[String: Any]] {
    let shown = try run(
      URL(filePath: "/usr/bin/env"), ["tar", "-xOf", ticket.path, name], input: nil)
    return CommandRun.jsonLines(of: shown.output)
  }

  @Test func `a ticket lists what moved to quarantine, file by file`() throws {
    let folder = try SmallFolder()
    _ = try folder.clean()
    let ticket = folder.parent.appending(path: "ticket.tar")
    let made = try run("report-folder", folder.path, "--bundle", ticket.path)
    #expect(made.status == 0, "\(made.errors)")
    let shown = try run(
      URL(filePath: "/usr/bin/env"), ["tar", "-xOf", ticket.path, "manifests.jsonl"], input: nil)
    let lines = CommandRun.jsonLines(of: shown.output)
    #expect(lines.count { $0["entities"] as? Int == 1 } == 3, "\(shown.output)")
    #expect(!shown.output.contains(".json\"") && !shown.output.contains("2024"))
  }
}
