import ArgumentParser
import Diagnostics
import Folders
package import MigrationCore
package import Runs

/// What a running command talks through: data, reports, failures, progress; it keeps the status.
package final class Console {
  private let tool: String
  private let arguments: [String]
  private let options: ReportingOptions
  private let streams: StandardStreams
  /// Where the report goes: standard output, unless that carries data.
  private let report: CheckedStream
  private let style: TextStyle
  private let meter: ProgressMeter?
  private let latest = LatestProgress()
  private let leftBehind = LeftBehind()
  private var status = ExitStatus.done
  private var hasSummary = false
  /// The folder that is read, if it is one of several: every line says so.
  private var folder: String?
  /// Whether no report told of something that could not be looked at.
  private(set) var hasSeenAll = true
  /// Whether standard output failed as the place of the report: then nothing more goes there.
  package private(set) var isReportLost = false
  /// Kept as long as the run, because it holds a file open.
  private var referencePlace: ReferencePlace?

  init(
    tool: String, arguments: [String], options: ReportingOptions, carriesData: Bool,
    streams: StandardStreams
  ) {
    self.tool = tool
    self.arguments = arguments
    self.options = options
    self.streams = streams
    report = carriesData ? streams.errors : streams.output
    style = TextStyle(options.color, isTerminal: report.isTerminal)
    let showsProgress = options.progress ?? (streams.errors.isTerminal && !options.quiet)
    meter = showsProgress && !(options.json && carriesData) ? ProgressMeter() : nil
  }

  /// Whether the report is JSON Lines on the stream of the talk: then the talk is such lines, too.
  private var talksInLines: Bool { options.json && report === streams.errors }

  /// Returns what a workflow needs to know about this run, and starts listening to signals: from
  /// here on the workflow is asked to stop between items instead of being cut off. What the options
  /// must not say is refused as wrong usage; a wrong profile is told before anything else is read.
  ///
  /// - Parameter profile: the name of a built-in profile, or a file; nil means Minuta's.
  package func context(
    profile: String? = nil, lockTimeout: Int = RunContext.standardLockTimeoutSeconds,
    failFast: Bool = false,
    jobs: Int? = nil
  ) throws -> RunContext {
    if lockTimeout < 0 { throw ValidationError("--lock-timeout must not be negative") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    let kinds = try profile.map { EntityKinds(try Profile(nameOrFile: $0), givenAs: $0) }
    Interruption.listen()
    var context = RunContext(
      command: tool, arguments: arguments, version: ToolVersion.current,
      workerCount: jobs ?? min(4, SystemCalls.processorCount), lockTimeoutSeconds: lockTimeout,
      failsFast: failFast,
      isInterrupted: { Interruption.isRequested })
    context.reportProgress = { [latest, meter] progress in
      latest.update(progress)
      meter?.update(progress)
    }
    let notices = Notices(
      of: tool, in: folder, as: options.quiet ? .hidden : talksInLines ? .jsonLines : .prose,
      besides: meter)
    context.notify = { notices.show($0) }
    context.explainsDecisions = options.verbose && !options.quiet
    context.noteLeftBehind = { [leftBehind] in leftBehind.note($0) }
    if let kinds { context.kinds = kinds }
    context.explain(
      message: kinds.map { "takes the profile \($0.profileName), as --profile says" }
        ?? "takes the profile \(context.kinds.profileName) unless what is there shows another: none "
        + "was given")
    context.explain(
      message: "shares the work between \(context.workerCount.counted("worker")), "
        + (jobs == nil
          ? "for \(SystemCalls.processorCount.counted("processor")), and never more than four"
          : "as --jobs says"))
    if let place = SystemCalls.environment("TMPDIR"), !place.isEmpty {
      context.temporaryDirectory = place
    }
    return context
  }

  /// Standard output as the place an interchange stream goes to.
  package var dataSink: ByteSink {
    ByteSink(name: "standard output") { [streams] bytes in try streams.output.write(bytes) }
  }

  /// The system that this runs on, such as `Linux 6.1.0 x86_64`.
  package var system: String { SystemCalls.systemName }

  /// Returns what a verification compares with: `-` is a stream on standard input, anything else is
  /// told by what is there.
  package func reference(at path: String) throws -> VerificationOptions.Reference {
    if path == "-" { return .stream(.standardInput) }
    let place = try ReferencePlace(path: path)
    referencePlace = place
    return place.reference
  }

  /// Writes data to standard output.
  package func write(_ data: [UInt8]) throws {
    try streams.output.write(data)
  }

  /// Writes a line of data to standard output, and hands it over at once.
  func write(line: [UInt8]) throws {
    try streams.output.write(line + [UInt8(ascii: "\n")])
    try streams.output.flush()
  }

  /// How much a report for people tells.
  package enum Detail {
    /// As much as the options of the command say.
    case asAsked
    /// Warnings, errors and the conclusion.
    case brief
  }

  /// Whether people read the report as it comes.
  package var isReadAsItComes: Bool { !options.json && !options.quiet }

  /// What a step is told so that it talks as it was asked of this command.
  var stepOptions: [String] { [options.quiet ? "--quiet" : "--brief"] + appearance }

  /// What a step is told of which only errors are shown.
  var silentStepOptions: [String] { ["--quiet"] + appearance }

  private var appearance: [String] {
    (options.verbose ? ["--verbose"] : [])
      + (options.progress.map { [$0 ? "--progress" : "--no-progress"] } ?? [])
      + (options.color == .auto ? [] : ["--color", options.color.rawValue])
  }

  /// Shows lines for people at once; scripts get a report instead.
  package func show(lines: [String]) {
    meter?.clear()
    if isReadAsItComes { say(lines.map(\.safeForTerminal), on: report) }
  }

  /// Takes how a step ended into the status.
  package func note(_ status: ExitStatus) { self.status = max(self.status, status) }

  /// Shows a report and takes its outcome into the status.
  package func show(_ report: some ReadableReport, _ detail: Detail = .asAsked) {
    meter?.clear()
    let left = leftBehind.take()
    status = max(status, ExitStatus(report), left.isEmpty ? .done : .differs)
    if report.findings.contains(where: \.isOfUnseen) { hasSeenAll = false }
    if options.json {
      send(machineLines(report, left), to: self.report)
    } else if options.quiet {
      let errors = report.findings.filter { $0.severity == .error } + left
      say(FindingList(errors, style: style).lines, on: streams.errors)
    } else {
      var lines: [String] = []
      var findings = report.findings + left
      if options.brief || detail == .brief {
        findings.removeAll { $0.severity == .info }
      } else {
        for table in report.tables where !table.isEmpty { lines += table.lines + [""] }
      }
      let findingLines = FindingList(findings, style: style).lines
      if !findingLines.isEmpty { lines += findingLines + [""] }
      say(lines + report.conclusion.map(\.safeForTerminal), on: self.report)
    }
  }

  /// Does some work, or shows what it would do, and shows the report.
  package func show<Workflow: PlannedWorkflow>(
    _ workflow: Workflow, doing isDone: Bool
  ) throws(MigrationError) where Workflow.Report: ReadableReport {
    show(try isDone ? workflow.perform() : workflow.plan())
  }

  /// Tells about an error and takes it into the status; a batch can go on after it. With JSON Lines on
  /// the same stream it is one of them, and no prose stands between them.
  package func fail(_ error: any Error) {
    meter?.clear()
    let isInterrupted = Interruption.isRequested
    let diagnostic =
      isInterrupted
      ? Diagnostic(
        .busy, subject: "",
        problem: "interrupted\(latest.text); every file is as it was or complete",
        remedy: "run the same command again")
      : (error as? any DiagnosableError)?.diagnostic
        ?? Diagnostic(
          .internalError, subject: "", problem: String(describing: error),
          remedy: "please report this, with the command that led to it")
    // What an interrupted run ends with is the signal.
    if !isInterrupted { status = max(status, ExitStatus(diagnostic.kind)) }
    if !talksInLines {
      say([diagnostic.rendered(tool: tool).linesSafeForTerminal], on: streams.errors)
      if isInterrupted { return }
    }
    if options.json { send([machineLine(diagnostic)], to: report) }
  }

  /// Tells about a difficulty that the run will overcome by itself; the status does not change.
  package func tell(_ error: any Error) {
    guard !options.quiet, let error = error as? any DiagnosableError else { return }
    meter?.clear()
    say([error.diagnostic.rendered(tool: tool).linesSafeForTerminal], on: streams.errors)
  }

  /// Works through independent items: a bad one is told and the others still have their turn,
  /// unless the run is to stop at the first.
  package func attemptEach<Item>(
    _ items: [Item], failFast: Bool, _ work: (Item) throws -> Void
  ) throws {
    for item in items {
      do {
        try work(item)
      } catch {
        // Where nobody reads what is shown of one, nobody reads the others.
        if failFast || streams.output.hasFailed { throw error }
        fail(error)
      }
    }
  }

  /// Reads each of several folders, one after the other, as if it were the only one, and ends with a
  /// report of how all ended. A single folder is just read.
  ///
  /// One that cannot be read does not keep the others from their turn, unless the run is to stop at the
  /// first.
  ///
  /// - Parameter conclude: what is done behind the last of several.
  package func read(
    _ folders: NamedFolders, failFast: Bool = false, _ work: (String) throws -> Void,
    concluding conclude: () throws -> Void = {}
  ) throws {
    if let only = folders.only { return try work(only) }
    var report = FoldersReport(try folders.read())
    var gravest = status
    for folder in report.folders {
      if Interruption.isRequested { throw MigrationError.interrupted }
      (self.folder, status) = (folder, .done)
      // However it ends: what the others ended with counts, and the run has a summary of its own.
      defer {
        gravest = max(gravest, status)
        (self.folder, status, hasSummary) = (nil, gravest, false)
      }
      do {
        try work(folder)
      } catch {
        // A wrong call and a signal end the run.
        if error is ValidationError || Interruption.isRequested { throw error }
        fail(error)
      }
      endReport()
      report.note(status)
      if isReportLost { return }
      if failFast && status > .differs { break }
    }
    try conclude()
    show(report)
  }

  /// Ends the run: the summary if none was written, then everything buffered; returns the status.
  func finish() -> ExitStatus {
    endReport()
    do {
      try streams.output.finish()
    } catch {
      // A stream that failed before is empty now, so what fails here was not told yet.
      fail(error)
    }
    do {
      try streams.errors.flush()
    } catch {
      // Nobody is left to be told; the status still says what happened to the data.
    }
    return status
  }

  /// Says what a run that failed has no report for, and writes the summary if none was written.
  private func endReport() {
    meter?.clear()
    let left = leftBehind.take()
    if !left.isEmpty {
      status = max(status, .differs)
      say(FindingList(left, style: style).lines, on: streams.errors)
    }
    if options.json && !hasSummary {
      send([summaryLine(ReportObject(), isDryRun: false)], to: report)
    }
  }

  /// Sends what people read; where it is about one of several folders, each line begins with it.
  private func say(_ texts: [String], on stream: CheckedStream) {
    guard let folder = folder?.safeForTerminal else { return send(texts, to: stream) }
    let lines = texts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    send(lines.map { $0.isEmpty ? "" : "\(folder): \($0)" }, to: stream)
  }

  private func send(_ lines: [String], to stream: CheckedStream) {
    guard !lines.isEmpty, stream === streams.errors || !isReportLost else { return }
    do {
      try stream.write(lines.reduce(into: "") { $0 += $1 + "\n" })
      try stream.flush()
    } catch {
      status = max(status, ExitStatus(error))
      guard stream !== streams.errors else { return }
      isReportLost = true
      fail(error)
    }
  }
}

/// The machine form: JSON Lines whose last line is the summary.
extension Console {
  private func machineLines(_ report: some RunReport, _ left: [Finding]) -> [String] {
    var lines: [String] = []
    for item in report.items { lines.append(line(item, isDryRun: report.isDryRun)) }
    for finding in report.findings + left {
      lines.append(machineLine(finding, isDryRun: report.isDryRun))
    }
    lines.append(summaryLine(report.summary, isDryRun: report.isDryRun))
    hasSummary = true
    return lines
  }

  private func machineLine(_ finding: Finding, isDryRun: Bool) -> String {
    var line = ReportObject(type: "finding")
    line.add("code", finding.code.rawValue)
    line.add("severity", finding.severity.rawValue)
    line.add("path", finding.path)
    line.add("message", finding.message)
    line.add("next", finding.next)
    line.add("command", finding.command)
    line.add("offset", finding.offset)
    return self.line(line, isDryRun: isDryRun)
  }

  private func machineLine(_ diagnostic: Diagnostic) -> String {
    var line = ReportObject(type: "error")
    line.add("kind", diagnostic.kind.rawValue)
    line.add("subject", diagnostic.subject)
    line.add("message", diagnostic.problem)
    line.add("cause", diagnostic.cause)
    line.add("next", diagnostic.remedy)
    line.add("command", diagnostic.command)
    line.add("offset", diagnostic.offset)
    return self.line(line)
  }

  private func summaryLine(_ members: ReportObject, isDryRun: Bool) -> String {
    var line = ReportObject(type: "summary")
    line.add("schema", "automerge-migrate/report")
    line.add("version", 1)
    line.add("command", tool)
    line.add("toolVersion", ToolVersion.current)
    line.add("status", Int(status.rawValue))
    line.add("dryRun", isDryRun)
    line.add("interrupted", Interruption.isRequested)
    line.add(membersOf: members)
    return self.line(line)
  }

  private func line(_ object: ReportObject, isDryRun: Bool = false) -> String {
    var object = object
    if isDryRun { object.add("dryRun", true) }
    object.add("place", folder)
    return object.jsonLine
  }
}
