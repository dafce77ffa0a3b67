import Diagnostics
import Folders
package import Runs
import SafeFiles

/// The side that answers, on its standard input and output.
package struct SyncServer {
  private let options: SyncOptions
  private let context: RunContext

  /// What a turn says of a side that has to write before more may come.
  static let full: [UInt8] = [1]

  /// Creates a server; nothing is read yet.
  package init(_ options: SyncOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Answers until the other side ends the connection; returns whether everything went well here.
  ///
  /// What is thrown was told to the other side, if that still listened.
  package func perform(
    input: Int32, output: Int32
  ) throws(MigrationError) -> Bool {
    let connection = Connection(
      to: "the other side", input: input, output: output, silenceSeconds: options.silenceSeconds,
      isInterrupted: context.isInterrupted)
    do throws(MigrationError) {
      try connection.greet()
      let folder = try FolderAccess.open(options.folder, context: context)
      var meeting = try SyncMeeting(
        folder, connection, options, obeysPeer: true, context: context)
      let watcher = try Watcher(meeting)
      var isFine = true
      repeat { isFine = try round(&meeting) && isFine } while try watcher.waitsForRound()
      return isFine
    } catch {
      connection.giveUp(because: error)
      throw error
    }
  }

  /// Answers for one round.
  private func round(_ meeting: inout SyncMeeting) throws(MigrationError) -> Bool {
    let connection = meeting.connection
    var side = try meeting.side()
    try side.takeIndex(connection.receive(.index))
    _ = try connection.receive(.turn)
    try side.sendIndex()
    try side.sendDeclined()
    try connection.hand()
    try side.takeDeclined(connection.receive(.declined))
    try side.takePlan(connection.receive(.plan), isClient: false)
    _ = try connection.receive(.turn)
    try side.sendPlan(isClient: false)
    try connection.hand()
    try side.tidy()
    var fileBatches = side.fileBatches[...]
    var isTalking = false
    while true {
      let frame = try connection.next()
      if side.isDryRun, frame.kind != .done { throw connection.unexpected(frame) }
      switch frame.kind {
      case .file, .piece, .fileEnd: try side.takeFile(frame)
      case .open:
        isTalking = true
        try side.takeOpen(frame)
      case .message: try side.takeMessage(frame)
      case .close: try side.close()
      case .turn where isTalking:
        try side.listen()
        _ = try side.speak()
        try connection.hand(over: .turn, side.sayWhetherFull() ? Self.full : [])
      case .turn:
        guard let batch = fileBatches.popFirst() else { throw connection.unexpected(frame) }
        try side.sendFiles(batch)
        try connection.hand()
      case .publish:
        _ = try connection.receive(.turn)
        let lost = try side.publish()
        try side.send(paths: lost, as: .unpublished)
        try connection.hand()
      case .unpublished: try side.takeUnpublished(frame)
      case .done:
        _ = try connection.receive(.turn)
        return try end(side, meeting)
      default: throw connection.unexpected(frame)
      }
    }
  }

  private func end(_ side: SyncSide, _ meeting: SyncMeeting) throws(MigrationError) -> Bool {
    let findings = side.allFindings
    for finding in findings {
      try meeting.connection.send(.finding) { finding.write(to: &$0) }
    }
    meeting.keep(side.remembered())
    try meeting.connection.hand(over: .done)
    return !findings.contains { $0.severity == .error }
  }

  /// Between rounds: the other side asks whether anything changed, begins another one, or ends.
  private struct Watcher {
    private let connection: Connection
    private let watcher: FolderWatcher?

    init(_ meeting: SyncMeeting) throws(MigrationError) {
      connection = meeting.connection
      guard meeting.peer.wishes.contains(.watch) else {
        watcher = nil
        return
      }
      let isInterrupted = meeting.context.isInterrupted
      watcher = try MigrationError.wrapping { () throws(FileError) in
        try FolderWatcher(meeting.folder, isInterrupted: isInterrupted)
      }
    }

    /// Returns whether there is to be another round.
    func waitsForRound() throws(MigrationError) -> Bool {
      while let frame = try connection.receive() {
        switch frame.kind {
        case .again: return true
        case .probe:
          let isChanged = try MigrationError.wrapping { () throws(FileError) in
            try watcher?.waitForChange(timeoutMilliseconds: 0) ?? false
          }
          try connection.hand(over: .news, [isChanged ? 1 : 0])
        default: throw connection.unexpected(frame)
        }
      }
      return false
    }
  }
}
