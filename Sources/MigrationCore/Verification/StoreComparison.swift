import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// Compares the rows of stores with those of other stores: what their lines say, under one profile.
///
/// The lines of one side are kept in a spool, and those of the other look for theirs by kind and identity;
/// so the numbers of rows, which differ between devices, say nothing. Memory holds the identities of one
/// side.
struct StoreComparison {
  private let own: StoreSource
  private let reference: StoreSource
  private let context: RunContext
  private var report: VerificationReport
  /// The lines of the reference by who they are about; several where rows have one identity.
  private var lines: [[UInt8]: [Range<Int>]] = [:]
  private var spool: ByteSpool
  private var counts: [String: VerificationReport.Count] = [:]

  /// - Parameters:
  ///   - own: what is looked at.
  ///   - reference: what it is compared with; both were opened as stores of one profile.
  init(_ own: StoreSource, with reference: StoreSource, context: RunContext) {
    (self.own, self.reference, self.context) = (own, reference, context)
    report = VerificationReport(reference: reference.path, kindNames: own.kinds.names)
    report.isOfStores = true
    spool = ByteSpool(in: context.temporaryDirectory, operations: context.operations)
  }

  mutating func run() throws(MigrationError) -> VerificationReport {
    try forEachLine(of: reference) { comparison, line, tape throws(MigrationError) in
      let (key, kind) = Self.key(of: tape)
      let range: Range<Int>
      do throws(FileError) { range = try comparison.spool.append(line) } catch {
        throw MigrationError(error)
      }
      comparison.lines[key, default: []].append(range)
      comparison.counts[kind, default: .init(kind: kind, month: "")].reference += 1
    }
    var other = JSONTape()
    try forEachLine(of: own) { comparison, _, tape throws(MigrationError) in
      try comparison.compare(tape, &other)
    }
    for range in lines.values.joined().sorted(by: { $0.lowerBound < $1.lowerBound }) {
      try read(range, into: &other)
      note(.missingEntity, other, "is in \(reference.path) alone", path: own.path)
    }
    report.findings += try own.findings + own.countRemainder()
    report.findings += try reference.findings + reference.countRemainder()
    report.counts = counts.values.sorted { $0.kind.utf8.lexicographicallyPrecedes($1.kind.utf8) }
    report.findings = report.findings.withoutRepetitions().inReportOrder()
    return report
  }

  // MARK: Lines

  private typealias Body = (
    inout StoreComparison, ArraySlice<UInt8>, JSONTape
  ) throws(MigrationError) -> Void

  private mutating func forEachLine(
    of source: StoreSource, _ body: Body
  ) throws(MigrationError) {
    var count = 0
    let lines = source.lines()
    var reader = try Self.wrapping { () throws(FolderError) in
      try lines.reader(rules: EntityRules())
    }
    while try Self.wrapping({ () throws(FolderError) in try reader.next() }) {
      count += 1
      if count.isMultiple(of: 256) {
        if context.isInterrupted() { throw .interrupted }
        context.reportProgress?(RunProgress(.verifying, completed: count, total: 0))
      }
      try body(&self, reader.line, reader.batch.tape)
    }
    // Rows that lack the same are equal, and still lack it.
    report.findings += lines.gaps
  }

  private static func wrapping<Value>(
    _ body: () throws(FolderError) -> Value
  ) throws(MigrationError) -> Value {
    do throws(FolderError) { return try body() } catch { throw MigrationError(error) }
  }

  private func read(_ range: Range<Int>, into tape: inout JSONTape) throws(MigrationError) {
    var bytes: [UInt8] = []
    do throws(FileError) { try spool.read(range, into: &bytes) } catch {
      throw MigrationError(error)
    }
    do throws(JSONDefect) { try tape.parse(bytes) } catch {
      throw .underlying(
        Diagnostic(
          .inputOutput, subject: reference.path,
          problem: "what was kept of its lines does not come back as it was",
          remedy: "let TMPDIR name a directory of a sound disk"))
    }
  }

  /// Who a line is about: kind and identity, or the row where it has none.
  private static func key(of tape: JSONTape) -> (key: [UInt8], kind: String) {
    let kind = tape.string("kind").map(Array.init) ?? []
    let identity = tape.string("id") ?? []
    let who = identity.isEmpty ? [0] + (tape.string("place") ?? []) : identity
    return (kind + [0] + who, String(decoding: kind, as: UTF8.self))
  }

  // MARK: Comparing

  private mutating func compare(
    _ tape: JSONTape, _ other: inout JSONTape
  ) throws(MigrationError) {
    let (key, kind) = Self.key(of: tape)
    counts[kind, default: .init(kind: kind, month: "")].documents += 1
    guard var candidates = lines[key], !candidates.isEmpty else {
      return note(.extraEntity, tape, "is not in \(reference.path)", path: own.path)
    }
    var differences: [String] = []
    for index in candidates.indices.reversed() {
      try read(candidates[index], into: &other)
      let found = Self.differences(of: tape, other, &report.fieldsCompared)
      if found.isEmpty {
        candidates.remove(at: index)
        lines[key] = candidates.isEmpty ? nil : candidates
        counts[kind]?.equal += 1
        counts[kind]?.proven += 1
        return
      }
      differences = found
    }
    // Of several rows none is equal: one of them stands against this one.
    candidates.removeFirst()
    lines[key] = candidates.isEmpty ? nil : candidates
    note(
      .fieldDiffers, tape, "differs in \(differences.listed) from \(reference.path)",
      path: own.path)
  }

  private mutating func note(
    _ code: Finding.Code, _ tape: JSONTape, _ what: String, path: String
  ) {
    func shown(_ name: String) -> String {
      tape.member(name, of: 0).map { tape.displayedString(at: $0) } ?? ""
    }
    let identity = shown("id")
    report.findings.append(
      Finding(
        code, .error, path: path,
        message: "\(shown("kind")) \(identity.isEmpty ? shown("place") : identity) \(what)"))
  }

  /// The names of the fields that differ, ascending.
  private static func differences(
    of one: JSONTape, _ other: JSONTape, _ fieldCount: inout Int
  ) -> [String] {
    let (left, right) = (fields(of: one), fields(of: other))
    let names = Set(left.keys).union(right.keys)
    fieldCount += names.count
    return names.filter { left[$0] != right[$0] }.sorted(by: ByteOrder.precedes).map {
      DisplayText.escaping($0)
    }
  }

  /// The content of each field, with the types that its values have besides.
  private static func fields(of tape: JSONTape) -> [[UInt8]: [UInt8]] {
    var fields: [[UInt8]: [UInt8]] = [:]
    var names: [UInt32] = []
    if let node = tape.member("fields", of: 0) {
      tape.appendMembers(of: node, to: &names)
      for name in names {
        var content: [UInt8] = []
        append(Int(name) + 1, of: tape, to: &content)
        fields[tape.bytes(of: Int(name))] = content
      }
    }
    names.removeAll()
    guard let types = tape.member("types", of: 0) else { return fields }
    tape.appendSortedMembers(of: types, to: &names)
    for name in names {
      // A pointer begins with the name of its field.
      let pointer = tape.bytes(of: Int(name))
      let field = fields.keys.first { field in
        var start: [UInt8] = []
        InterchangeWriter.append(field.span, toPointer: &start)
        return pointer.starts(with: start)
          && (pointer.count == start.count || pointer[start.count] == UInt8(ascii: "/"))
      }
      fields[field ?? [], default: []] += [0] + pointer + [0] + tape.bytes(of: Int(name) + 1)
    }
    return fields
  }

  /// Writes a value so that equal ones have equal bytes: the order of members says nothing.
  private static func append(_ node: Int, of tape: JSONTape, to content: inout [UInt8]) {
    content.append(tape.kind(of: node).rawValue)
    func append(text node: Int) {
      let range = tape.range(of: node)
      content += Array((String(range.count) + ":").utf8)
      content += tape.text[range]
    }
    switch tape.kind(of: node) {
    case .null, .false, .true: return
    case .number, .string: append(text: node)
    case .array:
      var element = node + 1
      while element < tape.node(after: node) {
        self.append(element, of: tape, to: &content)
        element = tape.node(after: element)
      }
      content.append(.max)
    case .object:
      var names: [UInt32] = []
      tape.appendSortedMembers(of: node, to: &names)
      for name in names {
        append(text: Int(name))
        self.append(Int(name) + 1, of: tape, to: &content)
      }
      content.append(.max)
    }
  }
}
