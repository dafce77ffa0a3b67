import Folders
import SafeFiles
import SchemaMigrations

/// A line of `schema.jsonl`: what is known of a step that was begun in a folder.
struct SchemaLine {
  let record: StepRecord
  let checksum: ContentHash

  private static let schema = "automerge-migrate/schema"

  init(record: StepRecord, checksum: ContentHash) {
    self.record = record
    self.checksum = checksum
  }

  /// Reads a line; nil if it is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    // What is no JSON is no line, whatever is wrong with it.
    guard let line = try? MigrationValue(json: Array(bytes)), line["schema"]?.text == Self.schema,
      line["version"] == 1, let id = line["step"]?.text,
      let stage = line["stage"]?.text.flatMap(StepRecord.Stage.init),
      let checksum = line["checksum"]?.text.flatMap({
        ContentHash(hexDigits: Array($0.utf8)[...])
      }), let value = line["value"]?.text.flatMap({ ValueDigest($0) }),
      case .list(let list)? = line["replaced"]
    else { return nil }
    var replaced: [StepRecord.Replaced] = []
    for entry in list {
      guard let place = entry["place"]?.text, let name = entry["name"]?.text,
        let digest = entry["value"]?.text.flatMap({ ValueDigest($0) })
      else { return nil }
      replaced.append(.init(StorageKey(place, name), digest))
    }
    var moment: Int64?
    if case .number(let number)? = line["moment"] { moment = number.int64 }
    var wasThere = false
    if let flag = line["wasThere"] {
      guard case .boolean(let isTrue) = flag else { return nil }
      wasThere = isTrue
    }
    self.checksum = checksum
    record = StepRecord(
      id: MigrationID(rawValue: id), stage, value: value, wasThere: wasThere, replaced: replaced,
      moment: moment)
  }

  /// The line, without its line feed.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("schema")
    writer.string(Self.schema)
    writer.name("version")
    writer.number(1)
    writer.name("step")
    writer.string(record.id.rawValue)
    writer.name("checksum")
    writer.string(checksum)
    writer.name("stage")
    writer.string(record.stage.rawValue)
    writer.name("value")
    writer.string(record.value.description)
    if record.wasThere {
      writer.name("wasThere")
      writer.bool(true)
    }
    writer.name("replaced")
    writer.beginArray()
    for source in record.replaced {
      writer.beginObject()
      writer.name("place")
      writer.string(source.key.domain)
      writer.name("name")
      writer.string(source.key.name)
      writer.name("value")
      writer.string(source.value.description)
      writer.endObject()
    }
    writer.endArray()
    if let moment = record.moment {
      writer.name("moment")
      writer.number(moment)
    }
    writer.endObject()
    return writer.bytes
  }
}

/// `schema.jsonl`: what is known of the steps that were begun in a folder, in the order in which it was
/// noted.
struct SchemaLog {
  /// Where it is in a folder.
  static let path = RelativePath(FolderNames.state).appending(FolderNames.schemaLog)

  /// The bytes are no such log.
  struct Defect: Error {
    /// The number of the first line that is none, from 1.
    let line: Int

    /// What is wrong, in words.
    var problem: String { "line \(line) of \(SchemaLog.path) is no line of ours" }
    /// What to do.
    var remedy: String { "restore the file from a backup; the data is where it is" }
  }

  let lines: [SchemaLine]

  /// Reads a log.
  init(_ bytes: [UInt8]) throws(Defect) {
    var lines: [SchemaLine] = []
    for text in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let line = SchemaLine(text) else { throw Defect(line: lines.count + 1) }
      lines.append(line)
    }
    self.lines = lines
  }

  /// The log with one more line.
  func bytes(adding line: SchemaLine) -> [UInt8] { Self.bytes(of: lines + [line]) }

  /// A log of lines.
  static func bytes(of lines: [SchemaLine]) -> [UInt8] {
    lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
  }
}
