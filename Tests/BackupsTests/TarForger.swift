@testable import Backups
import Foundation
import SafeFiles

/// Writes tar archives as somebody with bad intentions would: every field is free, checksums are
/// right, and the manifest says whatever it is told.
struct TarForger {
  /// One entry of the archive.
  struct Entry {
    var name: String
    var type: Character = "0"
    var content = ""
    var target = ""
    /// The size the header claims; nil is the truth.
    var claimedSize: Int?
  }

  /// What the manifest says about a path.
  struct Line {
    var path: String
    var kind = "file"
    var size: Int?
    var hash: String?
    var target: String?
  }

  var entries: [Entry] = []
  var lines: [Line] = []
  /// Replaces the manifest's text before its own hash is taken.
  var manifestText: ((String) -> String)?
  /// Replaces the last line of the manifest.
  var lastLine: ((String) -> String)?
  /// Whether the archive is cut after this many bytes.
  var cut: Int?

  /// Adds an entry together with the line that describes it truthfully.
  mutating func add(_ entry: Entry, kind: String = "file") {
    entries.append(entry)
    lines.append(
      Line(
        path: entry.name.hasSuffix("/") ? String(entry.name.dropLast()) : entry.name, kind: kind,
        size: kind == "file" ? entry.content.utf8.count : nil,
        hash: kind == "file" ? ContentHash(of: Array(entry.content.utf8)).description : nil,
        target: kind == "link" ? entry.target : nil))
  }

  /// The whole archive.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let text = manifestText.map { $0(manifest) } ?? manifest
    let last = "],\"sha256\":\"\(ContentHash(of: Array(text.utf8)))\"}\n"
    Self.append(
      Entry(name: "manifest.json", content: text + (lastLine.map { $0(last) } ?? last)), to: &bytes)
    for entry in entries { Self.append(entry, to: &bytes) }
    bytes += [UInt8](repeating: 0, count: 1_024)
    if let cut { bytes = Array(bytes.prefix(cut)) }
    return bytes
  }

  /// The text of the manifest without its last line.
  var manifest: String {
    let files = lines.filter { $0.kind == "file" }
    var text =
      #"{"schema":"automerge-migrate/backup","version":1,"folder":"Minuta","origin":"/x","#
    text += #""created":"2026-01-06T12:00:00Z","files":\#(files.count),"#
    text += #""directories":\#(lines.count { $0.kind == "directory" }),"#
    text += #""links":\#(lines.count { $0.kind == "link" }),"#
    text += #""special":\#(lines.count { $0.kind == "special" }),"#
    text += #""bytes":\#(files.reduce(0) { $0 + ($1.size ?? 0) }),"legacyFiles":false,"#
    text += #""entries":["#
    for (number, line) in lines.enumerated() {
      text += number == 0 ? "\n" : ",\n"
      text += #"{"path":"\#(line.path)","kind":"\#(line.kind)""#
      if let size = line.size { text += #","size":\#(size)"# }
      text += #","mode":"755","uid":0,"gid":0,"modified":"1700000000.000000000""#
      if let hash = line.hash { text += #","sha256":"\#(hash)""# }
      if let target = line.target { text += #","target":"\#(target)""# }
      text += "}"
    }
    return text + "\n"
  }

  private static func append(_ entry: Entry, to bytes: inout [UInt8]) {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, _ offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    put(String(entry.name.prefix(100)), 0)
    put(octal(0o644, 7), 100)
    put(octal(0, 7), 108)
    put(octal(0, 7), 116)
    put(octal(entry.claimedSize ?? entry.content.utf8.count, 11), 124)
    put(octal(1_700_000_000, 11), 136)
    put("        ", 148)
    put(String(entry.type), 156)
    put(entry.target, 157)
    put("ustar", 257)
    put("00", 263)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", 148)
    bytes += header
    bytes += Array(entry.content.utf8)
    bytes += [UInt8](repeating: 0, count: (512 - entry.content.utf8.count % 512) % 512)
  }
}

extension BackupPlace {
  /// Puts a forged archive in the place of backups, compressed by another program if wanted.
  func forge(_ forger: TarForger, as name: String = "forged.tar", with tool: String? = nil) throws
    -> BackupArchive
  {
    let path = backupsPath + "/" + name
    try Data(forger.bytes).write(to: URL(filePath: path))
    if let tool {
      _ = try runTool([tool, "-q", "-f", path])
      let suffix = tool == "gzip" ? ".gz" : ".zst"
      return try BackupArchive(path: path + suffix)
    }
    return try BackupArchive(path: path)
  }
}

/// Runs another program and returns its status and output.
@discardableResult
func runTool(_ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
