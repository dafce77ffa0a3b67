import Diagnostics
import Folders
package import Runs
import SafeFiles

/// The side that a person or a script runs: it begins, and says what comes next.
package struct SyncClient {
  private let options: SyncOptions
  private let context: RunContext

  /// Creates a client; nothing is read yet.
  package init(_ options: SyncOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Syncs with what a program says on its standard output and reads from its standard input, which is
  /// `sync-folder --serve` in the end.
  ///
  /// - Parameter peer: what messages call it.
  package func perform(
    with words: [String], called peer: String
  ) throws(MigrationError) -> SyncReport {
    var report: SyncReport?
    try converse(with: words, called: peer) { meeting throws(MigrationError) in
      report = try round(&meeting)
    }
    guard let report else { throw .brokenInvariant("a sync without a report") }
    return report
  }

  /// Syncs at once, and again whenever one of the folders has changed and came to rest, until the caller
  /// interrupts or nobody looks any more. A connection that ends is made again.
  ///
  /// - Parameters:
  ///   - show: called with the report of the first round and of each later one that has something new to
  ///     tell; returns whether to go on.
  ///   - tell: called when a round failed that will be tried again.
  package func watch(
    with words: [String], called peer: String, showing show: (SyncReport) -> Bool,
    telling tell: (MigrationError) -> Void
  ) throws(MigrationError) {
    var watch = SyncWatch(options, context: context)
    while watch.goesOn() {
      do throws(MigrationError) {
        try converse(with: words, called: peer) { meeting throws(MigrationError) in
          try watch.run(&meeting, by: round, showing: show)
        }
      } catch {
        guard watch.mayTryAgain(after: error) else { throw error }
        tell(error)
      }
    }
  }

  // MARK: The connection

  private func converse(
    with words: [String], called peer: String,
    _ body: (inout SyncMeeting) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let folder = try FolderAccess.open(options.folder, context: context)
    guard let process = try ChildProcess.start(words, input: .pipe), let input = process.input
    else {
      throw .underlying(
        Diagnostic(
          .missingInput, subject: DisplayText.escaping((words.first ?? "").utf8),
          problem: "there is no such program", remedy: "give a command that can be run behind --"))
    }
    let connection = Connection(
      to: peer, input: process.output.descriptor, output: input,
      silenceSeconds: options.silenceSeconds, isInterrupted: context.isInterrupted)
    do throws(MigrationError) {
      try connection.greet()
      var meeting = try SyncMeeting(
        folder, connection, options, obeysPeer: false, context: context)
      try body(&meeting)
    } catch {
      connection.giveUp(because: error)
      process.closeInput()
      let ending = process.end()
      if case .exited(let status) = ending, status != 0, connection.byteCountIn == 0,
        error.diagnostic.kind == .inputOutput
      {
        throw Self.saidNothing(peer, status)
      }
      throw error
    }
    process.closeInput()
    _ = process.end()
  }

  private static func saidNothing(_ peer: String, _ status: Int32) -> MigrationError {
    .underlying(
      Diagnostic(
        .inputOutput, subject: peer, problem: "ended with status \(status) and said nothing",
        remedy: "see what it wrote to standard error, and run it by itself"))
  }

  // MARK: A round

  private func round(_ meeting: inout SyncMeeting) throws(MigrationError) -> SyncReport {
    let clock = RunClock()
    let connection = meeting.connection
    let before = (connection.byteCountIn, connection.byteCountOut)
    var side = try meeting.side()
    try side.sendIndex()
    try connection.hand()
    try side.takeIndex(connection.receive(.index))
    try side.takeDeclined(connection.receive(.declined))
    try requireTurn(connection)
    try side.sendDeclined()
    try side.sendPlan(isClient: true)
    try connection.hand()
    try side.takePlan(connection.receive(.plan), isClient: true)
    try requireTurn(connection)
    try side.tidy()
    if !side.isDryRun {
      try exchangeFiles(&side)
      try exchangeDocuments(&side)
    }
    try connection.send(.done)
    try connection.hand()
    // The other side does the same meanwhile.
    let memory = side.remembered()
    meeting.keep(memory)
    var findings: [Finding] = []
    while true {
      guard let frame = try connection.receive() else { throw connection.ended() }
      if frame.kind == .done { break }
      guard frame.kind == .finding, findings.count < Self.mostFindings else {
        throw connection.unexpected(frame)
      }
      findings.append(
        try connection.parse(frame) { (reader) throws(WireDefect) in
          try Finding(ofPeer: &reader)
        })
    }
    var report = SyncReport(side, of: meeting, leaving: memory, theirs: findings)
    report.byteCountIn = connection.byteCountIn - before.0
    report.byteCountOut = connection.byteCountOut - before.1
    report.seconds = clock.seconds
    return report
  }

  private func exchangeFiles(_ side: inout SyncSide) throws(MigrationError) {
    for batch in side.fileBatches {
      try side.sendFiles(batch)
      try side.connection.hand()
      while true {
        let frame = try side.connection.next()
        if frame.kind == .turn { break }
        try side.takeFile(frame)
      }
      try publish(&side)
    }
  }

  private func exchangeDocuments(_ side: inout SyncSide) throws(MigrationError) {
    var batches = side.documentBatches[...]
    if let batch = batches.first { try announce(batch, to: side.connection) }
    while let batch = batches.popFirst() {
      try side.open(batch)
      let isPeerFull = try talk(&side)
      try side.connection.send(.close)
      // The other side loads the next ones while this one builds what arrived.
      let isAhead = !isPeerFull && !batches.isEmpty
      if isAhead, let next = batches.first { try announce(next, to: side.connection) }
      try side.connection.flush()
      try side.close()
      if side.isFull || isPeerFull || batches.isEmpty { try publish(&side) }
      if !isAhead, let next = batches.first { try announce(next, to: side.connection) }
    }
  }

  /// Says which documents are talked about next; the other side loads them, too.
  private func announce(_ batch: Range<Int>, to connection: Connection) throws(MigrationError) {
    try connection.send(.open) { writer in
      writer.number(batch.lowerBound)
      writer.number(batch.upperBound)
    }
    try connection.flush()
  }

  /// Talks about the open documents until nobody has anything to say; returns whether the other side has
  /// to write before more may come.
  private func talk(_ side: inout SyncSide) throws(MigrationError) -> Bool {
    var isPeerFull = false
    for _ in 0..<OpenTalks.mostTurns {
      let hasSpoken = try side.speak()
      try side.connection.hand()
      var hasAnswer = false
      while true {
        let frame = try side.connection.next()
        if frame.kind == .turn {
          isPeerFull = frame.payload == SyncServer.full
          break
        }
        guard frame.kind == .message else { throw side.connection.unexpected(frame) }
        try side.takeMessage(frame)
        hasAnswer = true
      }
      try side.listen()
      if !hasSpoken, !hasAnswer { break }
    }
    return isPeerFull
  }

  /// So many findings of the other side are taken.
  private static let mostFindings = 100_000

  /// Both sides write at the same time.
  private func publish(_ side: inout SyncSide) throws(MigrationError) {
    try side.connection.send(.publish)
    try side.connection.hand()
    let lost = try side.publish()
    try side.takeUnpublished(side.connection.receive(.unpublished))
    try requireTurn(side.connection)
    try side.send(paths: lost, as: .unpublished)
  }

  private func requireTurn(_ connection: Connection) throws(MigrationError) {
    _ = try connection.receive(.turn)
  }
}

extension SyncReport {
  fileprivate init(
    _ side: SyncSide, of meeting: SyncMeeting, leaving memory: SyncMemory, theirs: [Finding]
  ) {
    self.init(isDryRun: side.isDryRun)
    other = DisplayText.escaping(meeting.peer.folder.utf8)
    equalDocumentCount = side.plan.equalDocumentCount
    equalFileCount = side.plan.equalFileCount
    changeByteCount = side.changeByteCount
    leftOutCount = side.plan.declinedCount
    documents = side.plan.documents.map { item in
      var document = Document(path: item.path.description)
      document.received =
        side.published.updated[item.path] ?? side.published.created[item.path] ?? 0
      document.sent = side.sentCounts[item.path] ?? 0
      (document.isNewHere, document.isNewThere) = (item.here == nil, item.there == nil)
      document.isEqual = memory.documents[item.path] != nil
      return document
    }
    files = side.plan.files.map { file in
      File(
        path: file.path.description,
        outcome: isDryRun || side.isBrought(file) ? file.isHere ? .sent : .received : .left,
        byteCount: file.content.byteCount)
    }
    files += side.plan.differing.map { path in
      File(
        path: path.description, outcome: .differs,
        byteCount: side.survey.index.files[path]?.byteCount ?? 0)
    }
    files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    findings = (side.allFindings + theirs).inReportOrder()
  }
}

extension Connection {
  /// Returns the next frame, where the other side must not end.
  func next() throws(MigrationError) -> Frame {
    guard let frame = try receive() else { throw ended() }
    return frame
  }

  /// Tells the other side why this one ends, if it still listens.
  func giveUp(because error: MigrationError) {
    guard !isBroken else { return }
    let failure = Failure(error.diagnostic)
    silenceSeconds = min(silenceSeconds, Self.lastPatienceSeconds)
    do throws(MigrationError) {
      try send(.failure) { failure.write(to: &$0) }
      try flush()
    } catch {
      // It finds the connection ended.
    }
  }
}
