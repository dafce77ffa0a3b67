import Foundation

@testable import Automerge

/// A random session of several actors, each with a document of the engine and a model.
///
/// The seed alone decides what happens. Every step draws from a generator of its own, so that steps
/// can be left out without changing what the others draw.
struct Session {
  /// How much happens in a session.
  struct Size {
    var steps: Int
    /// The greatest length of a splice.
    var splice: Int
    /// After how many steps everything is compared; in between, only what a step touched.
    var comparison: Int

    static let small = Size(steps: 45, splice: 4, comparison: 6)
    static let medium = Size(steps: 70, splice: 25, comparison: 20)
    static let large = Size(steps: 240, splice: 40, comparison: 40)
  }

  let seed: UInt64
  let size: Size
  var generator: SeededGenerator
  var replicas: [SessionReplica] = []

  /// What the engine calls what the model names, found out as the session goes on.
  var names: [ChangeHash: ModelChange.ID] = [:]
  var hashes: [ModelChange.ID: ChangeHash] = [:]
  var chunks: [ModelChange.ID: Data] = [:]
  private(set) var objects: [ModelOperation.ID: ObjId] = [:]
  private(set) var objectNames: [ObjId: ModelOperation.ID] = [:]

  var memories: [SessionMemory] = []
  var cursors: [SessionCursor] = []
  private var actors: Set<ActorId> = []
  /// What happened, for the reader of a failure.
  private(set) var trace: [String] = []
  /// Whether to print what happens at once, which shows what a trap was about.
  var isTold = false

  init(seed: UInt64, size: Size) {
    self.seed = seed
    self.size = size
    generator = SeededGenerator(seed: seed)
  }

  /// Plays the session, without the steps in `skipped`.
  ///
  /// - Throws: `SessionFailure` at the first difference.
  mutating func run(skipping skipped: Set<Int> = []) throws {
    let base = generator.next()
    try begin()
    for step in 0..<size.steps where !skipped.contains(step) {
      generator = SeededGenerator(seed: base ^ UInt64(step + 1) &* 0xd134_2543_de82_ef95)
      note("step \(step)")
      try self.step()
      if (step + 1).isMultiple(of: size.comparison) {
        for index in replicas.indices { try compare(index) }
      }
    }
    generator = SeededGenerator(seed: base)
    note("laws")
    try checkLaws()
  }

  mutating func note(_ text: @autoclosure () -> String) {
    let line = "  " + text()
    trace.append(line)
    if isTold { print(line) }
  }

  mutating func learn(_ id: ModelOperation.ID, _ object: ObjId) {
    objects[id] = object
    objectNames[object] = id
  }

  /// An actor that nobody is yet.
  mutating func newActor() -> ActorId {
    while true {
      let actor = generator.actor()
      if actors.insert(actor).inserted { return actor }
    }
  }

  // MARK: Steps

  /// Some actors begin with nothing in common, the others as forks.
  private mutating func begin() throws {
    let encodings: [TextEncoding] = [
      .unicodeScalar, .unicodeScalar, .utf8, .utf16, .graphemeCluster,
    ]
    for _ in 0..<(1 + generator.below(2)) { appendReplica(generator.pick(encodings)) }
    while replicas.count < 3 {
      if generator.oneIn(4) {
        appendReplica(generator.pick(encodings))
      } else {
        try edit(0)
        try fork(0)
      }
    }
  }

  private mutating func appendReplica(_ encoding: TextEncoding) {
    let actor = newActor()
    let document = Document(textEncoding: encoding)
    document.actor = actor
    let count = replicas.count
    note("replica \(count) by \(actor) counts \(encoding)")
    replicas.append(SessionReplica(document, ModelReplica(actor: actor, encoding: encoding)))
  }

  private mutating func step() throws {
    let index = generator.below(replicas.count)
    switch generator.below(100) {
    case 0..<66:
      for _ in 0..<(1 + generator.below(3)) { try edit(index) }
    case 66..<68: try receiveForeign(index)
    case 68..<73: try commit(index)
    case 73..<81: try merge(index)
    case 81..<84: try sendSince(index)
    case 84..<86: try sendNew(index)
    case 86..<89: try scatter(index)
    case 89..<91: try reload(index)
    case 91..<93 where replicas.count < 8: try fork(index)
    case 93..<94 where replicas.count < 8: try forkAtMemory(index)
    case 94..<97: try remember(index)
    case 97..<98: try changeActor(index)
    default: try recall(index)
    }
    try compare(index, sample: 3)
  }

  // MARK: Commits

  /// Commits what is open in a document and compares the change with the model's.
  mutating func settle(_ index: Int, message: String? = nil, time: Int64? = nil) throws {
    let document = replicas[index].document
    if message != nil || time != nil {
      document.commitWith(
        message: message, timestamp: Date(timeIntervalSince1970: Double(time ?? 0)))
    }
    let change = replicas[index].model.commit(message: message ?? "", time: time ?? 0)
    try adopt(change, index)
  }

  func compareHeads(_ index: Int) throws {
    let heads = replicas[index].document.heads()
    let expected = Set(replicas[index].model.heads.compactMap { hashes[$0] })
    try SessionFailure.require(
      heads == expected, "replica \(index): heads \(heads), expected \(expected)")
  }

  /// Finds out the hash of a change that was just made and compares it with the model's.
  mutating func adopt(_ change: ModelChange?, _ index: Int) throws {
    if let change {
      let unknown = replicas[index].document.heads().filter { names[$0] == nil }
      guard let hash = unknown.first, unknown.count == 1 else {
        throw SessionFailure(
          description: "replica \(index): \(unknown.count) new heads after \(change.id)")
      }
      let made = try decoded(hash, index)
      try SessionFailure.require(
        made == change, "replica \(index) made\n\(made)\nexpected\n\(change)")
      names[hash] = change.id
      hashes[change.id] = hash
      chunks[change.id] = replicas[index].document.change(hash: hash)?.bytes
    }
    try compareHeads(index)
  }

  /// Reads a change of a document as the model has it.
  func decoded(_ hash: ChangeHash, _ index: Int) throws -> ModelChange {
    guard let change = replicas[index].document.change(hash: hash) else {
      throw SessionFailure(description: "replica \(index): no change \(hash)")
    }
    let chunk = try ForgedChunk.single(Array(change.bytes))
    let byteCount = try chunk.inflated.bytes.count
    try SessionFailure.require(
      chunk.type == (byteCount > 256 ? 2 : 1),
      "a change of \(byteCount) bytes is of type \(chunk.type)")
    let decoded = try ModelChange(decoding: chunk) { names[ChangeHash(bytes: $0)] }
    let isAlike =
      change.actorId == decoded.id.actor && (change.message ?? "") == decoded.message
      && Int64(change.timestamp.timeIntervalSince1970) == decoded.time
      && change.hash == hash && change.deps.compactMap { names[$0] }.count == change.deps.count
      && Set(change.deps.compactMap { names[$0] }) == decoded.dependencies
    try SessionFailure.require(isAlike, "replica \(index): \(change) is not \(decoded)")
    return decoded
  }
}
