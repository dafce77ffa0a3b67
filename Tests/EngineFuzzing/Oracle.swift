import Automerge
import Foundation

/// What has to hold of every document the engine accepted, whatever it was made from.
enum Oracle {
  /// What did not hold.
  struct Loss: Error, CustomStringConvertible {
    let description: String
  }

  /// Saving and loading is identity, reads work, and the order of changes makes no difference.
  static func check(_ document: Document) throws(Loss) {
    let reading = try Reading(document)
    let saved = document.save()
    let again = try attempt("its own save is refused") { try Document(saved) }
    try require(again.heads() == document.heads(), "the heads changed")
    try require(again.state.changeCount == document.state.changeCount, "changes were lost")
    try require(again.state.queuedCount == document.state.queuedCount, "waiting ones were lost")
    try require(again.save() == saved, "the second save differs")
    try require(try Reading(again) == reading, "reads differ after a save")
    try checkOrder(of: document, reading)
    try checkPast(of: document)
  }

  /// Applies the changes to a new document, last first.
  private static func checkOrder(of document: Document, _ reading: Reading) throws(Loss) {
    let changes = document.getHistory().reversed().compactMap { document.change(hash: $0)?.bytes }
    try require(changes.count == document.state.changeCount, "a change is missing")
    let reversed = Document()
    // One at a time they all wait, and waiting ones are read again each time.
    for part in changes.count <= 24 ? changes : [Data(changes.joined())] {
      try attempt("its own changes are refused") { try reversed.applyEncodedChanges(encoded: part) }
    }
    try require(reversed.state.queuedCount == 0, "its own changes wait")
    try require(reversed.heads() == document.heads(), "the order of changes changed the heads")
    try require(try Reading(reversed) == reading, "the order of changes changed reads")
  }

  /// Reads in the middle of the history and compares with a document that has only that much.
  private static func checkPast(of document: Document) throws(Loss) {
    let history = document.getHistory()
    guard !history.isEmpty else { return }
    let heads: Set = [history[history.count / 2]]
    let fork = try attempt("a fork in the past is refused") { try document.forkAt(heads: heads) }
    try require(fork.heads() == heads, "a fork has other heads")
    let past = try Reading(document, at: heads)
    try require(try Reading(fork, at: heads) == past, "the past reads differently")
  }

  // MARK: Failing

  static func require(_ condition: Bool, _ loss: String) throws(Loss) {
    if !condition { throw Loss(description: loss) }
  }

  @discardableResult
  static func attempt<Result>(_ loss: String, _ body: () throws -> Result) throws(Loss) -> Result {
    do {
      return try body()
    } catch {
      throw Loss(description: "\(loss): \(error)")
    }
  }

  /// Stops the program, which is how libFuzzer learns of a find.
  static func fail(_ loss: String) -> Never {
    FileHandle.standardError.write(Data("oracle: \(loss)\n".utf8))
    abort()
  }
}
