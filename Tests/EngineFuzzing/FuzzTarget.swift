import Automerge
import Foundation

/// An entry of the engine that takes bytes from outside.
enum FuzzTarget: String, CaseIterable {
  /// The strict load of a file. The input is the file.
  case load
  /// Changes arriving at a document that is there. The input is a `BasePlace`, then the changes.
  case incremental
  /// Messages of a peer. The input is a `BasePlace`, then messages with their lengths before them.
  case sync

  /// The target named on the command line.
  static let chosen = FuzzEngine.option("target").flatMap(FuzzTarget.init)

  /// How many bytes stand before the part that consists of chunks.
  private var prefixCount: Int {
    switch self {
    case .load: 0
    case .incremental, .sync: BasePlace.byteCount
    }
  }

  /// Runs one input; what is accepted has to pass the oracle, whatever is refused has to throw.
  func run(_ input: [UInt8]) {
    guard input.count >= prefixCount else { return }
    do {
      switch self {
      case .load: try runLoad(input)
      case .incremental: try runIncremental(input)
      case .sync: try runSync(input)
      }
    } catch {
      Oracle.fail(error.description)
    }
  }

  private func runLoad(_ input: [UInt8]) throws(Oracle.Loss) {
    // Being refused is an answer.
    guard let document = try? Document(Data(input)) else { return }
    try Oracle.check(document)
  }

  private func runIncremental(_ input: [UInt8]) throws(Oracle.Loss) {
    let document = BasePlace(input).document()
    let before = document.state.changeCount
    do {
      try document.applyEncodedChanges(encoded: Data(input.dropFirst(prefixCount)))
    } catch {
      try Oracle.require(document.state.changeCount == before, "a refusal left changes")
    }
    // The golden document by itself needs no oracle.
    if document.state.changeCount > before || document.state.queuedCount > 0 {
      try Oracle.check(document)
    }
  }

  private func runSync(_ input: [UInt8]) throws(Oracle.Loss) {
    let place = BasePlace(input)
    // What does not split into messages never reaches the engine.
    let messages = (try? SyncMutator.split(Array(input.dropFirst(prefixCount)))) ?? []
    try Conversation.hear(messages, place.document(), honest: place.wholeDocument())
  }

  /// Returns an input that differs a little.
  func mutated(_ input: [UInt8], maxCount: Int, seed: UInt64) -> [UInt8] {
    var mutator = FileMutator(seed: seed)
    guard input.count >= prefixCount else { return LibFuzzer.mutated(input, maxCount: maxCount) }
    let prefix = mutator.prefix(Array(input.prefix(prefixCount)))
    let rest = Array(input.dropFirst(prefixCount))
    if self == .sync {
      var messages = SyncMutator(seed: seed)
      return prefix + messages.mutated(rest, maxCount: maxCount - prefixCount)
    }
    return prefix + mutator.mutated(rest, maxCount: maxCount - prefixCount)
  }

  /// Returns what a run starts from.
  func seeds() throws -> [[UInt8]] {
    switch self {
    case .load: try GoldenSeeds.documents() + GoldenSeeds.histories
    case .incremental: BasePlace.seeds()
    case .sync: try BasePlace.conversations()
    }
  }
}
