import Folders
import Runs
import SafeFiles
import Synchronization

/// The documents that are talked about together, by their numbers: what takes long is done for several
/// of them at once.
struct OpenTalks {
  private struct State {
    /// Nil once it has ended.
    var talk: DocumentTalk?
    /// What the other side said of it in this turn, and whether it said something.
    var message: [UInt8]?
    var isHeard = false
  }

  private final class Open: Sendable {
    let state: Mutex<State>

    init(_ talk: DocumentTalk) { state = Mutex(State(talk: talk)) }
  }

  private var talks: [Open] = []
  private var firstNumber = 0
  private var turnCount = 0
  /// How many bytes were heard and not taken in.
  private(set) var waitingByteCount = 0

  /// Automerge's protocol comes to its end in a few turns; filters that err cost two more each time.
  static let mostTurns = 64
  /// So many bytes wait until they are taken in together.
  static let mostWaitingBytes = 4 << 20

  init() {}

  init(_ talks: [DocumentTalk], from firstNumber: Int) {
    self.talks = talks.map { Open($0) }
    self.firstNumber = firstNumber
  }

  var isEmpty: Bool { talks.isEmpty }

  /// Begins a turn of this side; returns what there is to say about each document, by its number,
  /// ascending.
  mutating func nextMessages(
    context: RunContext
  ) throws(MigrationError) -> [(number: Int, message: [UInt8])] {
    turnCount += 1
    let maySpeak = turnCount <= Self.mostTurns
    let messages = try map(context) { state in
      state.isHeard = false
      return maySpeak ? state.talk?.nextMessage() : nil
    }
    return zip(firstNumber..., messages).compactMap { number, message in
      message.map { (number, $0) }
    }
  }

  /// Keeps what the other side says about a document; returns whether it may say that: both sides number
  /// what they have met in the order of the messages, of which each turn has one.
  mutating func hear(_ message: [UInt8], about number: Int) -> Bool {
    guard number >= firstNumber, number - firstNumber < talks.count else { return false }
    let isFirst = talks[number - firstNumber].state.withLock { state in
      defer { (state.message, state.isHeard) = (state.message ?? message, true) }
      return !state.isHeard
    }
    if isFirst { waitingByteCount += message.count }
    return isFirst
  }

  /// Takes in what was heard.
  mutating func receive(context: RunContext) throws(MigrationError) {
    waitingByteCount = 0
    _ = try map(context) { state in
      if let message = state.message.take() { state.talk?.receive(message) }
    }
  }

  /// Ends them; returns what became of each.
  consuming func outcomes(
    in inventory: FolderInventory, context: RunContext
  ) throws(MigrationError) -> [DocumentTalk.Outcome] {
    try map(context) { state in state.talk.take()?.outcome(in: inventory) }.compactMap(\.self)
  }

  private func map<Output: Sendable>(
    _ context: RunContext, _ body: @Sendable (inout State) -> Output
  ) throws(MigrationError) -> [Output] {
    let talks = talks
    return try Workers.map(
      talks.count, phase: .merging, context: context, makeState: {}
    ) { item, _ throws(MigrationError) in talks[item].state.withLock { body(&$0) } }
  }
}
