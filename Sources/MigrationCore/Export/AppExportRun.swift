import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Writes the rows of stores as the JSON that the app itself writes and reads.
///
/// The rows of one kind are read at a time, each section of the JSON in its turn, so memory holds one entity
/// and the identities that others lead to. What that JSON has no place for is told.
struct AppExportRun {
  private let source: StoreSource
  private let format: AppFormat
  private let sink: ByteSink
  private let isDryRun: Bool
  private let context: RunContext
  private var writer = AppFormatWriter()
  private var report: ExportReport
  /// The kinds whose findings are in the report.
  private var told: Set<EntityKind> = []
  /// When each entity begins that others lead to, by its kind: milliseconds since 1970.
  private var starts: [String: [[UInt8]: Int64]] = [:]

  init(
    _ source: StoreSource, _ format: AppFormat, to sink: ByteSink, isDryRun: Bool,
    context: RunContext
  ) {
    (self.source, self.format, self.sink) = (source, format, sink)
    (self.isDryRun, self.context) = (isDryRun, context)
    report = ExportReport(kindNames: source.kinds.names)
    report.isDryRun = isDryRun
    report.findings = source.findings
  }

  mutating func run(at now: RFC3339) throws(MigrationError) -> ExportReport {
    try collectIdentities()
    put("{")
    var isFirst = true
    for section in format.sections {
      let start = (isFirst ? "\n" : ",\n") + "\"\(section.name)\": "
      switch section.content {
      case .now:
        put(start)
        writer.json.string(now)
      case .one(let kind, let template, let limit):
        guard try writeOne(kind, template, limit, called: section.name, after: start) else {
          continue
        }
      case .all(let kind, let template, let rule):
        put(start)
        try writeAll(kind, template, rule)
      }
      isFirst = false
    }
    put("\n}\n")
    try flush()
    try conclude()
    return report
  }

  // MARK: Reading

  /// An entity that was read.
  private struct Row {
    let place: AppFormatWriter.Place
    let node: Int
    let lines: StoreLines

    var tape: JSONTape { place.batch.tape }
  }

  /// Calls its argument with every entity of a kind but those that are refused.
  private mutating func forEach(
    _ name: String, _ body: (inout AppExportRun, Row) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let kinds = source.kinds
    guard let kind = kinds.kind(named: Array(name.utf8).span) else { return }
    let lines = source.lines(withholding: Set(kinds.all).subtracting([kind]))
    let isNew = told.insert(kind).inserted
    let taken = taken(of: name)
    var reader: InterchangeReader
    do throws(FolderError) {
      reader = try lines.reader(rules: EntityRules(now: WallClock.now().seconds * 1000))
    } catch {
      throw MigrationError(error)
    }
    while try Self.reads(&reader) {
      if context.isInterrupted() { throw .interrupted }
      if isNew { report.findings += reader.batch.findings }
      for entity in reader.batch.entities {
        let place = AppFormatWriter.Place(
          batch: reader.batch, identity: kinds.bytes(of: entity.identity, kind), name: name)
        if isNew { writer.noteLost(entity.node, besides: taken, place) }
        try body(&self, Row(place: place, node: entity.node, lines: lines))
      }
    }
    if isNew { report.findings += lines.findings }
  }

  private static func reads(_ reader: inout InterchangeReader) throws(MigrationError) -> Bool {
    do throws(FolderError) { return try reader.next() } catch { throw MigrationError(error) }
  }

  /// The properties of a kind that are somewhere in the JSON.
  private func taken(of kind: String) -> Set<String> {
    var taken: Set<String> = []
    for section in format.sections {
      switch section.content {
      case .one(kind, let template, _): taken.formUnion(template.taken)
      case .all(kind, let template, _): taken.formUnion(template.taken)
      case .one, .all, .now: continue
      }
    }
    return taken
  }

  /// Notes which entities there are that others lead to, and when they begin.
  private mutating func collectIdentities() throws(MigrationError) {
    var wanted: [String: String] = [:]
    for section in format.sections {
      guard case .all(_, let template, let rule) = section.content else { continue }
      for kind in template.links { wanted[kind] = wanted[kind] ?? "" }
      if let requires = rule.requires { wanted[requires.kind] = rule.notBefore?.start ?? "" }
    }
    for (kind, start) in wanted.sorted(by: { $0.key < $1.key }) {
      try forEach(kind) { run, row in
        run.writer.identities[kind, default: []].insert(row.place.identity)
        guard let value = row.tape.member(start, of: row.node),
          let moment = AppFormatWriter.milliseconds(of: value, row.place.batch)
        else { return }
        run.starts[kind, default: [:]][row.place.identity] = moment
      }
    }
  }

  // MARK: Writing

  private mutating func put(_ text: String) {
    writer.json.bytes += Array(text.utf8)
    writer.json.restart()
  }

  private mutating func flush(over byteCount: Int = 0) throws(MigrationError) {
    guard writer.json.bytes.count > byteCount else { return }
    let piece = writer.json.bytes
    writer.json.removeAll()
    if isDryRun { return }
    do { try sink.write(piece) } catch {
      throw MigrationError(streamFailure: error, name: sink.name)
    }
  }

  /// Writes the first entity of a kind; false if there is none, or nothing of it.
  private mutating func writeOne(
    _ kind: String, _ template: AppTemplate, _ limit: Int?, called name: String,
    after start: String
  ) throws(MigrationError) -> Bool {
    try flush()
    var (count, isWritten) = (0, false)
    try forEach(kind) { run, row throws(MigrationError) in
      count += 1
      guard count == 1 else { return }
      let source = run.source
      run.writer.blob = { reference in
        row.lines.blobs.first { $0.reference == reference }.flatMap { source.bytes(of: $0) }
      }
      run.put(start)
      let begin = run.writer.json.bytes.count
      isWritten = run.writer.write(template, row.node, row.place)
      // The quotation marks do not count.
      let count = run.writer.json.bytes.count - begin - 2
      if isWritten, let limit, count > limit {
        run.note(
          .unexpectedValue, .warning,
          "the \(name) of the \(kind) has \(count.counted("character")): the app reads no "
            + "JSON with one of more than \(limit.grouped)")
      }
      if !isWritten { run.writer.json.removeAll() }
    }
    writer.blob = { _ in nil }
    guard case .object = template else { return isWritten }
    if count > 1 {
      note(
        .notExported, .error,
        "there are \(EntityKinds.counted(count, kind)), and the app's JSON has room for one: the "
          + "first is in it")
    }
    if isWritten {
      set(1, of: kind)
    } else {
      note(
        .missingEntity, .error,
        count == 0
          ? "there is no \(kind) entity, and the app reads no JSON without one"
          : "the \(kind) entity lacks what the app's JSON needs of it")
    }
    return isWritten
  }

  private mutating func writeAll(
    _ kind: String, _ template: AppTemplate, _ rule: AppRule
  ) throws(MigrationError) {
    var (count, unled, early, refused) = (0, 0, 0, 0)
    put("[")
    try forEach(kind) { run, row throws(MigrationError) in
      let target = rule.requires.flatMap { requires in
        row.tape.member(requires.property, of: row.node).map { row.tape.bytes(of: $0) }
      }
      if let requires = rule.requires {
        guard let target, run.writer.identities[requires.kind]?.contains(target) ?? false else {
          return unled += 1
        }
      }
      let mark = run.writer.json.mark
      run.put(count == 0 ? "\n" : ",\n")
      guard run.writer.write(template, row.node, row.place) else {
        run.writer.json.rewind(to: mark)
        return refused += 1
      }
      count += 1
      if let dates = rule.notBefore, let kind = rule.requires?.kind, let target,
        let start = run.starts[kind]?[target],
        let value = row.tape.member(dates.date, of: row.node),
        let moment = AppFormatWriter.milliseconds(of: value, row.place.batch),
        Self.day(of: moment) < Self.day(of: start)
      {
        early += 1
      }
      try run.flush(over: 1 << 16)
      if count.isMultiple(of: 256) {
        run.context.reportProgress?(RunProgress(.exporting, completed: count, total: 0))
      }
    }
    put("\n]")
    set(count, of: kind)
    if unled > 0 {
      note(
        .notExported, .warning,
        "\(EntityKinds.counted(unled, kind)) of no \(rule.requires?.kind ?? "") that is there: the "
          + "app's JSON has them not")
    }
    if refused > 0 {
      note(
        .notExported, .error,
        "\(EntityKinds.counted(refused, kind)) without what the app's JSON needs of each")
    }
    if early > 0 {
      note(
        .unexpectedValue, .warning,
        "\(EntityKinds.counted(early, kind)) before the day on which the "
          + "\(rule.requires?.kind ?? "") begins, by UTC: the app skips them when it reads the JSON"
      )
    }
    if count > rule.limit {
      note(
        .unexpectedValue, .warning,
        "\(EntityKinds.counted(count, kind)): the app reads no JSON with more than "
          + rule.limit.grouped)
    }
  }

  private static func day(of milliseconds: Int64) -> Int64 {
    Int64((Double(milliseconds) / 86_400_000).rounded(.down))
  }

  // MARK: Findings

  private mutating func set(_ count: Int, of kind: String) {
    guard let kind = source.kinds.kind(named: Array(kind.utf8).span) else { return }
    report[kind] = count
  }

  private mutating func note(_ code: Finding.Code, _ severity: Severity, _ message: String) {
    report.findings.append(Finding(code, severity, path: source.path, message: message))
  }

  /// Notes what the app's JSON has no place for.
  private mutating func conclude() throws(MigrationError) {
    for (name, count) in writer.lost.sorted(by: { $0.key < $1.key }) {
      note(
        .notExported, .warning,
        "\(count.counted("value")) of \(name): the app's JSON has no place for what is there")
    }
    for (name, count) in writer.replaced.sorted(by: { $0.key < $1.key }) {
      note(
        .notExported, .warning,
        "\(count.counted("value")) of \(name) \(count == 1 ? "is" : "are") not there: what the app "
          + "takes then is written")
    }
    if writer.roundedCount > 0 {
      note(
        .precisionReduced, .info,
        "\(writer.roundedCount.counted("date")) without the fraction of a second")
    }
    report.findings += try source.countRemainder()
    // The kinds that are in no section.
    let lines = source.lines(withholding: Set(source.kinds.all))
    do throws(StoreError) { while try !lines.next().bytes.isEmpty {} } catch {
      throw MigrationError(error)
    }
    for (kind, count) in lines.leftOut.sorted(by: { $0.key < $1.key })
    where count > 0 && !told.contains(kind) {
      note(
        .notExported, .warning,
        "\(EntityKinds.counted(count, source.kinds.name(of: kind))): the app's JSON has none of the "
          + "kind")
    }
  }
}
