import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles

/// Writes entities of declared kinds as an interchange stream. A group is in memory until all of it is
/// there, and then written by places.
struct DeclaredStreamWriter: DeclaredWriter {
  private struct Line {
    var place: EntityPlace
    var entity: DeclaredEntity
  }

  private var destination: StreamDestination
  private let kinds: EntityKinds
  private var places: DerivedPaths
  private var writer: InterchangeWriter
  private var group: [EntityGroup: [Line]] = [:]
  private var findings: [Finding] = []

  /// After so many bytes lines are sent on.
  private static let pieceByteCount = 1 << 20

  init(_ destination: StreamDestination, _ kinds: EntityKinds) {
    self.destination = destination
    self.kinds = kinds
    places = DerivedPaths(kinds)
    writer = InterchangeWriter(kinds)
    writer.json.removeAll()
  }

  let form = DeclaredForm.stream
  let isAnotherFolder = false

  mutating func add(
    _ entity: DeclaredEntity, of group: EntityGroup, month: Month?, _ known: KnownFiles
  ) throws(PlaceDefect) -> RelativePath? {
    if let document = entity.otherOf {
      let place = kinds.placeOfOther(in: readable(document))
      self.group[group, default: []].append(Line(place: .file(place), entity: entity))
      return nil
    }
    let found = try places.place(of: entity, in: group, month: month, known)
    if kinds[group.kind]?.home?.staysInMap(entity.identity) ?? false { throw .stays(found.path) }
    let place = kinds.place(
      of: group.kind, in: readable(found.path), identity: entity.identity,
      element: entity.place?.position)
    self.group[group, default: []].append(Line(place: .file(place), entity: entity))
    if found.isMadeUp { places.claim(found.path) }
    return found.isMadeUp ? found.path : nil
  }

  /// A file has any bytes for a name, a stream is UTF-8.
  private mutating func readable(_ path: RelativePath) -> RelativePath {
    guard path.bytes.contains(where: { $0 >= 0x80 }),
      String(validating: path.bytes, as: UTF8.self) == nil,
      let valid = RelativePath(Array(String(decoding: path.bytes, as: UTF8.self).utf8))
    else { return path }
    findings.append(
      Finding(
        .nameDerived, .info, path: path.description,
        message: "its name is not UTF-8 and becomes \(valid) in the stream"))
    return valid
  }

  mutating func finish(
    _ group: EntityGroup, _ files: [KnownFiles.File], of known: KnownFiles
  ) throws(MigrationError) {
    var lines = self.group.removeValue(forKey: group) ?? []
    lines.sort { left, right in
      left.place == right.place
        ? ByteOrder.precedes(left.entity.identity, right.entity.identity)
        : left.place < right.place
    }
    var count = 0
    for line in lines {
      let kind = line.entity.otherOf == nil ? group.kind : .other
      writer.beginEntity(kind, id: line.entity.identity.span, place: line.place)
      writer.json.value(written: line.entity.json.span)
      writer.endEntity(types: line.entity.types)
      count += 1
      guard writer.json.bytes.count >= Self.pieceByteCount else { continue }
      try send(count)
      count = 0
    }
    if count > 0 { try send(count) }
  }

  private mutating func send(_ count: Int) throws(MigrationError) {
    try destination.write(writer.json.bytes, count: count)
    writer.json.removeAll()
  }

  func stage(_ entry: BackupEntry) -> FileWriter? { nil }

  func flush() {}

  mutating func end() throws(MigrationError) { try destination.finish() }

  func complete(_ report: inout ExportReport) { report.findings += findings }
}
