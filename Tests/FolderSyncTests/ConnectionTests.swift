import Diagnostics
@testable import FolderSync
import Runs
import Testing

/// Frames on a pipe that may end anywhere.
@Suite struct ConnectionTests {
  private func kind(of error: MigrationError?) -> Diagnostic.Kind? { error?.diagnostic.kind }

  @Test func `frames arrive as they were sent`() throws {
    let lines = Lines()
    try lines.there.greet()
    try lines.there.send(.turn)
    try lines.there.send(.piece, Array("some bytes".utf8))
    try lines.there.flush()
    try lines.hangUp()
    try lines.here.requireGreeting()
    #expect(try lines.here.receive()?.kind == .turn)
    let piece = try lines.here.receive()
    #expect(piece?.kind == .piece)
    #expect(piece?.payload == Array("some bytes".utf8))
    #expect(try lines.here.receive() == nil)
    #expect(lines.here.byteCountIn == lines.there.byteCountOut)
  }

  @Test func `a side that is at work says so between frames, and is not taken for gone`() throws {
    let lines = Lines()
    try lines.there.send(.file)
    try lines.there.flush()
    let start = ContinuousClock.now
    for second in 1...8 { lines.there.pulse.beat(at: start + .seconds(second)) }
    try lines.there.hand()
    let byteCount = lines.there.byteCountOut
    #expect(try lines.here.receive()?.kind == .file)
    #expect(try lines.here.receive()?.kind == .turn)
    // Of a silence of ten seconds that is a word each quarter at most.
    #expect(lines.here.byteCountIn == byteCount + 2 * 5)
    try lines.hangUp()
    let padded = Lines()
    try padded.send([Frame.Kind.working.rawValue, 1, 0, 0, 0, 7])
    #expect(
      kind(of: #expect(throws: MigrationError.self) { try padded.here.receive() })
        == .damagedInput)
  }

  @Test func `a word that nobody takes is not waited for`() throws {
    let lines = Lines()
    let start = ContinuousClock.now
    for hour in 1...20_000 { lines.there.pulse.beat(at: start + .seconds(3600 * hour)) }
    try lines.hangUp()
    // A full pipe holds 64 KiB, and what it does not hold is no frame that is cut off.
    #expect(try lines.here.receive() == nil)
    #expect((1...16_384).contains(lines.here.byteCountIn / 5))
    #expect(lines.here.byteCountIn.isMultiple(of: 5))
  }

  @Test func `a pipe that is cut after any byte is told, with the number of bytes`() throws {
    let bytes = Frame.greeting + [Frame.Kind.piece.rawValue, 4, 0, 0, 0] + Array("abcd".utf8)
    for count in 0..<bytes.count where count != Frame.greeting.count {
      let lines = Lines()
      try lines.send(Array(bytes[..<count]))
      try lines.hangUp()
      let error = #expect(throws: MigrationError.self) {
        try lines.here.requireGreeting()
        _ = try lines.here.receive(.piece)
      }
      let isGreeting = (1..<Frame.greeting.count).contains(count)
      #expect(kind(of: error) == (isGreeting ? .damagedInput : .inputOutput), "\(count)")
    }
  }

  @Test func `what is no frame is refused`() throws {
    for head: [UInt8] in [
      [0, 0, 0, 0, 0], [200, 0, 0, 0, 0], [Frame.Kind.piece.rawValue, 255, 255, 255, 255],
    ] {
      let lines = Lines()
      try lines.send(head)
      #expect(
        kind(of: #expect(throws: MigrationError.self) { try lines.here.receive() })
          == .damagedInput)
    }
  }

  @Test func `of a frame that promises much and brings little no memory is taken`() throws {
    let lines = Lines()
    try lines.send([Frame.Kind.piece.rawValue, 0, 0, 0, 8] + Array("little".utf8))
    try lines.hangUp()
    #expect(
      kind(of: #expect(throws: MigrationError.self) { try lines.here.receive() })
        == .inputOutput)
  }

  @Test func `another version is told by its number`() throws {
    let lines = Lines()
    try lines.send(Array(Frame.greeting.dropLast()) + [9])
    let error = #expect(throws: MigrationError.self) { try lines.here.requireGreeting() }
    #expect(kind(of: error) == .conflictsWithData)
    #expect(error?.diagnostic.problem.contains("version 9") == true)
  }

  @Test func `silence ends a connection`() throws {
    let lines = Lines(silenceSeconds: 1)
    let error = #expect(throws: MigrationError.self) { try lines.here.receive() }
    #expect(error?.diagnostic.problem == "nothing moved for 1 second")
  }

  @Test func `where nobody listens any more, last words are waited for and no longer`() throws {
    let lines = Lines(silenceSeconds: 300)
    try lines.stopListening()
    try lines.there.send(.turn)
    try lines.there.flush()
    #expect(try lines.here.receive()?.kind == .turn)
    let start = ContinuousClock.now
    let error = #expect(throws: MigrationError.self) { try lines.here.receive() }
    #expect(error?.diagnostic.problem == "the connection ended after 5 bytes")
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func `the reason of the other side is the reason here`() throws {
    let lines = Lines()
    let reason = Diagnostic(
      .busy, subject: "lock", problem: "is held", remedy: "wait", cause: "by the app")
    lines.there.giveUp(because: .underlying(reason))
    let error = #expect(throws: MigrationError.self) { try lines.here.receive() }
    #expect(
      error?.diagnostic
        == Diagnostic(
          .busy, subject: "lock", problem: "is held: by the app, on the other side",
          remedy: "wait"))
  }

  @Test func `numbers that end early or are too large are refused`() {
    for bytes: [UInt8] in [
      [], [0x80], [UInt8](repeating: 0xff, count: 9), [UInt8](repeating: 0xff, count: 20),
    ] {
      var reader = WireReader(bytes)
      #expect(throws: WireDefect.self) { try reader.number() }
    }
    var reader = WireReader([5, 1, 2])
    #expect(throws: WireDefect.self) { try reader.data() }
    for number in [0, 127, 128, 1 << 40, Int.max >> 1] {
      var writer = WireWriter()
      writer.number(number)
      var reader = WireReader(writer.bytes)
      #expect((try? reader.number()) == number)
    }
  }

  @Test func `what the other side says of a failure is one line`() throws {
    let lines = Lines()
    let failure = Failure(
      Diagnostic(
        .inputOutput, subject: "B\u{2028}C", problem: "no.\r\n\nAll is well",
        remedy: "nothing\nsync-folder: done"))
    try lines.there.send(.failure) { failure.write(to: &$0) }
    try lines.there.flush()
    try lines.hangUp()
    let error = #expect(throws: MigrationError.self) { try lines.here.receive() }
    #expect(error?.diagnostic.subject == "B\\nC")
    #expect(error?.diagnostic.problem == "no.\\n\\nAll is well, on the other side")
    #expect(error?.diagnostic.remedy == "nothing\\nsync-folder: done")
  }
}
