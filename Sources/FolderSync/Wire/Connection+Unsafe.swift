import Diagnostics
import Runs
import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A pair of pipes to the other side, on which frames go back and forth.
///
/// Every byte is waited for no longer than the silence that the caller allows, in both directions: a
/// link that is cut does not say so. What is sent is kept until `flush()`, or until it is much.
final class Connection {
  /// What messages call the other side.
  let peer: String
  private(set) var byteCountIn = 0
  private(set) var byteCountOut = 0

  private let input: Int32
  private let output: Int32
  /// How long nothing may move.
  var silenceSeconds: Int
  /// Whether nothing more can be sent: the other side does not take it, or not at the beginning of a frame.
  private(set) var isBroken = false
  private let isInterrupted: @Sendable () -> Bool
  /// What says that this side is at work.
  let pulse: Pulse

  private var outgoing: [UInt8] = []
  private var incoming: [UInt8]
  /// What of it was not read yet.
  private var unread = 0..<0

  private static let bufferByteCount = 1 << 16
  /// A pipe that takes bytes takes as many at least, without waiting (POSIX `PIPE_BUF`, on Linux).
  private static let pieceByteCount = 4096
  /// How long the last words of the other side are waited for, and those to it.
  static let lastPatienceSeconds = 2
  /// Milliseconds after which somebody is asked whether to go on.
  private static let patience: Int32 = 500

  /// Creates a connection over descriptors that the caller closes after it.
  init(
    to peer: String, input: Int32, output: Int32, silenceSeconds: Int,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.peer = peer
    self.input = input
    self.output = output
    self.silenceSeconds = silenceSeconds
    self.isInterrupted = isInterrupted
    pulse = Pulse(on: output, silenceSeconds: silenceSeconds)
    incoming = [UInt8](repeating: 0, count: Self.bufferByteCount)
  }

  // MARK: Sending

  /// Sends the bytes that open a connection.
  func greet() throws(MigrationError) {
    outgoing += Frame.greeting
    try flush()
  }

  func send(_ kind: Frame.Kind, _ payload: [UInt8] = []) throws(MigrationError) {
    guard payload.count <= Frame.greatestLength else {
      throw .brokenInvariant("a frame of \(payload.count.counted("byte"))")
    }
    outgoing.append(kind.rawValue)
    for shift in stride(from: 0, to: 32, by: 8) {
      outgoing.append(UInt8(truncatingIfNeeded: payload.count >> shift))
    }
    outgoing += payload
    if outgoing.count >= Self.bufferByteCount { try flush() }
  }

  /// Sends what a side says of a `WireWriter`.
  func send(
    _ kind: Frame.Kind, _ write: (inout WireWriter) -> Void
  ) throws(MigrationError) {
    var writer = WireWriter()
    write(&writer)
    try send(kind, writer.bytes)
  }

  /// Sends a word behind which the other side speaks.
  func hand(over kind: Frame.Kind = .turn, _ payload: [UInt8] = []) throws(MigrationError) {
    try send(kind, payload)
    try flush()
  }

  /// Hands everything that was sent to the system.
  func flush() throws(MigrationError) {
    var position = 0
    isBroken = true
    defer { outgoing.removeAll(keepingCapacity: true) }
    while position < outgoing.count {
      try wait(for: output, Int16(POLLOUT))
      let end = min(outgoing.count, position + Self.pieceByteCount)
      // SAFETY: the range lies inside the array, which outlives the call.
      let count = unsafe outgoing[position..<end].withUnsafeBytes { bytes in
        unsafe systemWrite(output, bytes.baseAddress, bytes.count)
      }
      if count >= 0 {
        position += count
        byteCountOut += count
      } else if errno != EINTR && errno != EAGAIN {
        throw reasonOfPeer()
      }
    }
    isBroken = false
  }

  /// Why the other side does not listen any more: what it said last may be a reason.
  private func reasonOfPeer() -> MigrationError {
    // It may be waiting for what cannot be sent any more.
    silenceSeconds = min(silenceSeconds, Self.lastPatienceSeconds)
    do throws(MigrationError) {
      while try receive() != nil {}
    } catch {
      if case .underlying(let reason) = error, reason.subject != peer { return error }
    }
    return ended()
  }

  // MARK: Receiving

  /// Reads the bytes that open a connection.
  func requireGreeting() throws(MigrationError) {
    var greeting: [UInt8] = []
    while greeting.count < Frame.greeting.count {
      guard try fill() else { throw saidNothing(but: greeting) }
      let count = min(unread.count, Frame.greeting.count - greeting.count)
      greeting += take(count)
      guard Frame.greeting.starts(with: greeting) else { throw notUnderstood(greeting) }
    }
  }

  /// Returns the next frame; nil if the other side has ended the connection behind one.
  ///
  /// A frame that says why the other side gives up is thrown; those that say that it is at work are passed
  /// over.
  func receive() throws(MigrationError) -> Frame? {
    while let frame = try receiveAny() {
      guard frame.kind == .working else { return frame }
      guard frame.payload.isEmpty else { throw unexpected(frame) }
    }
    return nil
  }

  private func receiveAny() throws(MigrationError) -> Frame? {
    guard try fill() else { return nil }
    let head = try read(5)
    guard let kind = Frame.Kind(rawValue: head[0]) else {
      throw defect(WireDefect("is of kind \(head[0]), which is unknown", 0), .failure)
    }
    let length = (1...4).reduce(0) { $0 | Int(head[$1]) << (8 * ($1 - 1)) }
    guard length <= Frame.greatestLength else {
      throw defect(WireDefect("is longer than any can be", 1), kind)
    }
    let frame = Frame(kind: kind, payload: try read(length))
    guard kind == .failure else { return frame }
    throw try parse(frame) { (reader) throws(WireDefect) in try Failure(&reader) }.error(of: peer)
  }

  /// Returns the next frame, which must be of a kind.
  func receive(_ kind: Frame.Kind) throws(MigrationError) -> Frame {
    guard let frame = try receive() else { throw ended() }
    guard frame.kind == kind else { throw unexpected(frame) }
    return frame
  }

  /// Reads the parts of a frame.
  func parse<Value>(
    _ frame: Frame, _ body: (inout WireReader) throws(WireDefect) -> Value
  ) throws(MigrationError) -> Value {
    var reader = WireReader(frame.payload)
    do throws(WireDefect) {
      let value = try body(&reader)
      try reader.requireEnd()
      return value
    } catch {
      throw defect(error, frame.kind)
    }
  }

  /// Memory is taken as bytes come, whatever a frame promises.
  private func read(_ count: Int) throws(MigrationError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard try fill() else { throw ended() }
      bytes += take(min(unread.count, count - bytes.count))
    }
    return bytes
  }

  private func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { unread = unread.lowerBound + count..<unread.upperBound }
    return incoming[unread.lowerBound..<unread.lowerBound + count]
  }

  /// Waits until something can be read; returns false at the end.
  private func fill() throws(MigrationError) -> Bool {
    while unread.isEmpty {
      try wait(for: input, Int16(POLLIN))
      // SAFETY: the call fills the array that outlives it, and no more.
      let count = unsafe incoming.withUnsafeMutableBytes { bytes in
        unsafe systemRead(input, bytes.baseAddress, bytes.count)
      }
      if count == 0 { return false }
      if count > 0 {
        unread = 0..<count
        byteCountIn += count
      } else if errno != EINTR && errno != EAGAIN {
        return false
      }
    }
    return true
  }

  /// Waits until a descriptor can be read or written, or tells what is wrong with it.
  ///
  /// Who listens to what this side says is gone, too, where another program stands between the sides and has
  /// ended: then what was on its way is waited for no longer than last words are.
  private func wait(for descriptor: Int32, _ event: Int16) throws(MigrationError) {
    var deadline = ContinuousClock.now + .seconds(silenceSeconds)
    var events = [pollfd(fd: descriptor, events: event, revents: 0)]
    if descriptor != output { events.append(pollfd(fd: output, events: 0, revents: 0)) }
    var isHeard = true
    while true {
      if isInterrupted() { throw .interrupted }
      // SAFETY: the call gets the structures of the array, which outlives it, and their number.
      let count = unsafe poll(&events, nfds_t(events.count), Self.patience)
      // What is wrong with a descriptor the call behind this says.
      if events[0].revents != 0 || count < 0 && errno != EINTR { return }
      if count > 0 {
        isHeard = false
        events.removeLast()
        deadline = min(deadline, .now + .seconds(Self.lastPatienceSeconds))
      }
      guard ContinuousClock.now < deadline else { throw isHeard ? nothingMoved() : ended() }
    }
  }

  // MARK: What goes wrong

  private func nothingMoved() -> MigrationError {
    .underlying(
      Diagnostic(
        .inputOutput, subject: peer,
        problem: "nothing moved for \(silenceSeconds.counted("second"))", remedy: Self.remedy))
  }

  /// The other side is gone in the middle.
  func ended() -> MigrationError {
    .underlying(
      Diagnostic(
        .inputOutput, subject: peer,
        problem: "the connection ended after \(byteCountIn.counted("byte"))", remedy: Self.remedy))
  }

  func unexpected(_ frame: Frame) -> MigrationError {
    defect(WireDefect("is not what has to come now", 0), frame.kind)
  }

  func defect(_ defect: WireDefect, _ kind: Frame.Kind) -> MigrationError {
    .underlying(
      Diagnostic(
        .damagedInput, subject: peer, offset: byteCountIn - unread.count,
        problem: "a frame (\(kind)) \(defect.problem)",
        remedy: "see to it that the other side runs the same version, and run the command again"))
  }

  private func saidNothing(but greeting: [UInt8]) -> MigrationError {
    greeting.isEmpty ? ended() : notUnderstood(greeting)
  }

  private func notUnderstood(_ greeting: [UInt8]) -> MigrationError {
    // Of another version, all but the last byte is the same.
    let isOther =
      greeting.count == Frame.greeting.count && greeting.starts(with: Frame.greeting.dropLast())
    let shown = greeting + take(min(unread.count, 32))
    return .underlying(
      isOther
        ? Diagnostic(
          .conflictsWithData, subject: peer,
          problem: "speaks version \(greeting.last ?? 0) of the protocol, not 1",
          remedy: "install the same version on both sides")
        : Diagnostic(
          .damagedInput, subject: peer,
          problem: "does not speak as sync-folder does: it begins with "
            + "\"\(DisplayText.escaping(shown))\"",
          remedy:
            "see to it that the command runs sync-folder --serve, and that nothing else, such "
            + "as a profile of its shell, prints to standard output"))
  }

  private static let remedy =
    "look at the connection, then run the command again: what arrived whole and was written stays"
}

// SAFETY: names for the C functions, whose own names methods hide; nothing is called here.
private let systemRead = unsafe read
private let systemWrite = unsafe write
