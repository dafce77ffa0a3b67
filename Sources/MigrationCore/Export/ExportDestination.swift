import Folders
import Runs
import SafeFiles

/// Where an export goes, group by group.
enum ExportDestination {
  case stream(StreamDestination)
  case folder(LegacyDestination)

  /// Whether legacy files go to another folder than they come from.
  var isAnotherFolder: Bool {
    if case .folder(let folder) = self { folder.isAnotherFolder } else { false }
  }

  /// Writes a group.
  mutating func write(_ group: ExportedGroup) throws(MigrationError) {
    switch self {
    case .stream(var stream):
      try stream.write(group)
      self = .stream(stream)
    case .folder(var folder):
      try folder.write(group)
      self = .folder(folder)
    }
  }

  /// Writes what comes last.
  mutating func finish() throws(MigrationError) {
    if case .stream(let stream) = self { try stream.finish() }
  }
}

/// An interchange stream being written.
struct StreamDestination {
  private let sink: ByteSink?
  private var entityCount = 0
  private var isBegun = false

  /// Creates the destination; without a sink nothing is written.
  init(_ sink: ByteSink?) {
    self.sink = sink
  }

  mutating func write(_ group: ExportedGroup) throws(MigrationError) {
    var bytes = isBegun ? [] : InterchangeWriter().json.bytes
    isBegun = true
    bytes.reserveCapacity(bytes.count + group.bytes.count)
    for entity in group.entities { bytes.append(contentsOf: group.bytes[entity.json]) }
    entityCount += group.entities.count
    try send(bytes)
  }

  func finish() throws(MigrationError) {
    var json = JSONWriter()
    json.beginObject()
    json.name("end")
    json.bool(true)
    json.name("entities")
    json.number(entityCount)
    json.endObject()
    try send((isBegun ? [] : InterchangeWriter().json.bytes) + json.bytes + [UInt8(ascii: "\n")])
  }

  private func send(_ bytes: [UInt8]) throws(MigrationError) {
    guard let sink else { return }
    do {
      try sink.write(bytes)
    } catch {
      throw MigrationError(streamFailure: error, name: sink.name)
    }
  }
}
