import Diagnostics
import Folders
import Runs
import SchemaMigrations

/// The entities of a stream on their way through the steps that run.
struct SchemaPass {
  private var chain: StepChain
  private let standing: PlanStanding
  private let steps: [EntityStep]
  private let source: RepeatedStream
  private let output: SchemaOutput
  private let context: RunContext
  private let traces: StepTraces
  private let forcedTraces: StepTraces
  /// By a step, the one that has taken away what it puts together once more.
  private let consumers: [MigrationID: MigrationID]
  /// The entities that are there several times, of kinds that steps put together or make others for.
  private var copies: EntityCopies
  /// What is done to know them.
  private var counting = Counting.meeting
  private var readCount = 0
  private var isPublished = false
  /// What was found.
  private(set) var findings: [Finding] = []
  /// How many more there are.
  private var furtherFindingCount = 0
  /// Whether something was found because of which nothing may be published.
  private var hasFailed = false

  private enum Counting {
    /// Entities are met for the first time.
    case meeting
    /// The copies of those that were met several times are kept.
    case keeping
    case done
  }

  init(
    _ standing: PlanStanding, _ sink: ByteSink?, _ options: SchemaOptions,
    _ source: RepeatedStream, _ context: RunContext, traces: StepTraces,
    forcedTraces: StepTraces, recordsChanges: Bool
  ) {
    self.standing = standing
    steps = standing.running
    self.source = source
    self.context = context
    (self.traces, self.forcedTraces) = (traces, forcedTraces)
    consumers = standing.consumers(options)
    chain = StepChain(
      standing.running, of: context.kinds, parameters: options.context.parameters,
      keepingTotalsOf: Set(consumers.keys))
    copies = EntityCopies(context.kinds)
    output = SchemaOutput(sink, of: context.kinds, recordsChanges: recordsChanges)
  }

  /// Reads the stream as often as steps need, and writes it.
  mutating func run(_ reader: inout InterchangeReader) throws(MigrationError) {
    guard let header = reader.header else { throw .brokenInvariant("a stream without first line") }
    source.isKept = chain.passCount > 1 || context.kinds.all.contains(where: chain.takesIn)
    output.write(header: header.line(with: standing.recordAfter))
    while true {
      let isLast = chain.isWriting
      try read(&reader, isLast)
      if counting == .meeting, !copies.isEmpty { try recount() }
      counting = .done
      let output = output
      var shown: [(entity: ChangingEntity, trace: StepTraces.Trace)] = []
      let write = { [forcedTraces] (entity: ChangingEntity, _: Bool) in
        output.write(new: entity)
        if let trace = forcedTraces.firstTrace(in: entity) { shown.append((entity, trace)) }
      }
      for (kind, identity) in copies.all {
        var entity = try copies.united(kind, identity)
        chain.advance(&entity, as: .union, write)
      }
      chain.endPass(write)
      for (entity, trace) in shown { note(trace, in: entity) }
      if isLast { break }
      reader = try source.reader(of: context.kinds)
    }
    if let finding = reader.countFinding { findings.append(finding) }
    findings += output.findings
    noteRemarks()
    hasFailed = hasFailed || findings.contains { $0.severity == .error }
    // Whoever reads the stream would take it for what the plan makes.
    isPublished = !hasFailed && !standing.standings.contains { $0.state == .waiting }
    if isPublished { output.end() }
    try output.send(all: true)
  }

  /// Takes all entities in anew, but for copies, which are kept.
  private mutating func recount() throws(MigrationError) {
    counting = .keeping
    chain.beginRecount()
    var reader = try source.reader(of: context.kinds)
    try read(&reader, false)
    chain.endRecount()
  }

  private mutating func read(
    _ reader: inout InterchangeReader, _ isLast: Bool
  ) throws(MigrationError) {
    var isInterrupted = false
    readCount = 0
    var entity = ChangingEntity()
    while !isInterrupted {
      do throws(FolderError) {
        guard try reader.locateNext() else { break }
      } catch {
        throw MigrationError(error)
      }
      readCount += 1
      try take(reader, &entity, isLast)
      if isLast { try output.send() }
      guard readCount.isMultiple(of: 256) else { continue }
      isInterrupted = context.isInterrupted()
      context.reportProgress?(RunProgress(.converting, completed: readCount, total: 0))
    }
    if isInterrupted { throw .interrupted }
  }

  private mutating func take(
    _ reader: InterchangeReader, _ entity: inout ChangingEntity, _ isLast: Bool
  ) throws(MigrationError) {
    let kind = reader.kind
    guard let located = reader.located else {
      if isLast { leave(reader) }
      return
    }
    if chain.passesBy(kind), !traces.concern(kind) {
      if isLast { output.write(line: reader.line) }
      return
    }
    let (fields, types) = reader.fieldNodes
    entity.kind = kind
    entity.identity = located.identity
    entity.tape = reader.tape
    // What the reader parses next must not be copied because somebody still holds this line.
    defer { entity.tape = JSONTape() }
    guard entity.tape.kind(of: fields) == .object else {
      return note(finding(.error, of: kind, located.identity, "its fields are no object", nil))
    }
    entity.fields.take(fields, types: types, of: entity.tape)
    if isLast, let trace = traces.firstTrace(in: entity) {
      if trace.source != .noted { throw traces.misfit(trace, in: entity, context.kinds) }
      note(
        finding(
          .error, of: kind, located.identity,
          "\(trace.step) was done by what the stream says, and \(trace.property) is still there",
          "remove \(trace.step) from \"schema\" in the first line, or take the stream anew"))
    }
    var part = StepChain.Part.entity
    if chain.takesIn(kind) {
      if counting == .meeting { copies.meet(entity) }
      if counting != .meeting, copies.contain(entity) { part = .copy }
      if counting == .keeping, part == .copy { copies.keep(entity, types: types) }
    }
    let output = output
    var shown: [(entity: ChangingEntity, trace: StepTraces.Trace)] = []
    chain.advance(&entity, as: part) { [forcedTraces] entity, isNew in
      if isNew {
        output.write(new: entity)
      } else {
        output.write(entity, fields: fields, types: types)
      }
      if let trace = forcedTraces.firstTrace(in: entity) { shown.append((entity, trace)) }
    }
    for (entity, trace) in shown { note(trace, in: entity) }
    if let replaced = chain.replacement, let consumer = consumers[replaced.step] {
      throw replaced.error(consumer, of: context.kinds)
    }
  }

  /// A step that is forced has made what one behind it has taken away: the next run would refuse that.
  private mutating func note(_ trace: StepTraces.Trace, in entity: ChangingEntity) {
    note(
      finding(
        .error, of: entity.kind, entity.identity,
        "\(trace.property) is there again, which is gone after \(trace.step)",
        "force \(trace.step) as well, and what comes behind it: --force \(trace.step)"))
  }

  /// What is no entity goes on as it is; what nobody can tell from others is an error.
  private mutating func leave(_ reader: InterchangeReader) {
    if reader.kind == .other { return output.write(line: reader.line) }
    for var finding in reader.batch.findings {
      finding.severity = .error
      note(finding)
    }
    hasFailed = true
  }

  // MARK: Findings

  /// A stream may be wrong in every line: the first ones are told, and how many there are.
  private mutating func note(_ finding: Finding) {
    hasFailed = true
    guard findings.count < Self.largestFindingCount else {
      furtherFindingCount += 1
      return
    }
    findings.append(finding)
  }

  private static let largestFindingCount = 1000

  private mutating func noteRemarks() {
    for remark in chain.remarks {
      let severity: Severity = remark.isError ? .error : .warning
      guard let kind = remark.kind else {
        findings.append(
          Finding(.notConverted, severity, message: "\(remark.step): \(remark.text)"))
        continue
      }
      findings.append(
        finding(
          severity, of: kind, remark.identity, "\(remark.step): \(remark.text)",
          remark.isError ? "mend the value where it comes from, or the step" : nil))
    }
    let further = chain.furtherRemarkCount + furtherFindingCount
    if further > 0 {
      findings.append(
        Finding(
          .notConverted, chain.errorCount > 0 || hasFailed ? .error : .warning,
          message: "\(further.counted("more entity is", "more entities are")) like that"))
    }
  }

  private func finding(
    _ severity: Severity, of kind: EntityKind, _ identity: Identity, _ message: String,
    _ next: String?
  ) -> Finding {
    Finding(
      .notConverted, severity, message: "\(context.kinds.title(kind, identity)): \(message)",
      next: next)
  }

  /// Says in a report what was done.
  func complete(_ report: inout SchemaReport) {
    report.effects = steps.enumerated().map { index, step in
      SchemaReport.Effect(
        id: step.id, risk: step.risk, changedCount: chain.changedCounts[index],
        madeCount: chain.madeCounts[index], lost: step.lost)
    }
    report.changes = output.changes
    report.furtherChangeCount = output.furtherChangeCount
    report.readCount = readCount
    report.writtenCount = output.entityCount
    report.readByteCount = source.byteCount
    report.writtenByteCount = output.byteCount
    report.isPublished = isPublished && !report.isDryRun
  }
}
