import Automerge
import Foundation
import Synchronization

/// The document that an input's changes arrive at: `[history][how many of its changes are there]`.
struct BasePlace: Hashable {
  static let byteCount = 2

  private let history: Int
  private let changeCount: Int

  private init(history: Int, changeCount: Int) {
    self.history = history
    self.changeCount = changeCount
  }

  /// Reads the place from the start of an input; every value means one.
  init(_ input: [UInt8]) {
    history = Int(input[0]) % Self.histories.count
    changeCount = Int(input[1]) % (Self.histories[history].count + 1)
  }

  /// Named, not listed, so that old inputs keep their meaning when fixtures are added.
  private static let names = [
    "conflict-objects", "conflict-put", "conflict-resolved", "counter-concurrent",
    "counter-conflicts", "delete-vs-update", "fuzz-01", "fuzz-02", "fuzz-03", "fuzz-04", "fuzz-05",
    "fuzz-07", "list-concurrent-inserts", "list-counter-append", "list-edits", "many-actors",
    "map-keys", "marks", "nested", "overwrites", "scalars", "text-embedded", "text-unicode",
    "two-actors-merges", "unknown-value-type", "unrelated-merge",
  ]

  /// The golden histories, as far as a count of one byte reaches.
  static let histories: [[[UInt8]]] = names.map { name in
    guard let changes = try? GoldenSeeds.changes(of: name), !changes.isEmpty else {
      Oracle.fail("the golden history \(name) is missing")
    }
    return Array(changes.prefix(Int(UInt8.max)))
  }

  /// Making one takes longer than most inputs do.
  private static let made = Mutex<[BasePlace: Document]>([:])

  /// Returns a copy of the document with the changes that are there.
  func document() -> Document {
    if let document = Self.made.withLock({ $0[self] }) { return document.fork() }
    let document = Document()
    let changes = Self.histories[history].prefix(changeCount).flatMap(\.self)
    do {
      try document.applyEncodedChanges(encoded: Data(changes))
    } catch {
      Oracle.fail("a golden history is refused: \(error)")
    }
    Self.made.withLock { $0[self] = document }
    return document.fork()
  }

  /// Returns a copy of the document with the whole history.
  func wholeDocument() -> Document {
    BasePlace(history: history, changeCount: Self.histories[history].count).document()
  }

  /// Several places of each history, as an input begins with them.
  private static let places: [[UInt8]] = histories.indices.flatMap { index in
    let count = histories[index].count
    return Set([0, count / 2, count - 1, max(0, count - 8)]).sorted().map { start in
      [UInt8(index), UInt8(start)]
    }
  }

  /// Returns an input for each place: the changes that follow there.
  static func seeds() -> [[UInt8]] {
    places.map { start in
      let place = BasePlace(start)
      let following = histories[place.history][place.changeCount...].prefix(12)
      return start + following.flatMap(\.self)
    }
  }

  /// Returns an input for each place: what a document there hears from one with all changes.
  static func conversations() throws -> [[UInt8]] {
    try places.map { start in
      let place = BasePlace(start)
      let heard = try Conversation.talk(place.document(), place.wholeDocument())
      return start + heard.flatMap(ForgedNumber.prefixed)
    }
  }
}
