import Automerge
import Foundation
import Testing

/// The examples of the articles, line by line.
@Suite struct ArticleTests {
  @Test func `a first document`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "title", value: .String("Groceries"))
    let items = try document.putObject(obj: .ROOT, key: "items", ty: .List)
    try document.insert(obj: items, index: 0, value: .String("bread"))
    try document.insert(obj: items, index: 1, value: .String("milk"))

    #expect(try document.get(obj: items, index: 1) == .Scalar(.String("milk")))
    #expect(document.length(obj: items) == 2)

    let file = document.save()
    let loaded = try Document(file)
    #expect(loaded.heads() == document.heads())

    struct Recipe: Codable, Equatable {
      var name: String
      var steps: [String]
    }

    let recipe = Recipe(name: "Tea", steps: ["boil", "wait"])
    let book = Document()
    try AutomergeEncoder(doc: book).encode(recipe)
    #expect(try AutomergeDecoder(doc: book).decode(Recipe.self) == recipe)
  }

  @Test func merging() throws {
    let kitchen = Document()
    try kitchen.put(obj: .ROOT, key: "lamp", value: .Boolean(false))
    let hall = kitchen.fork()
    try kitchen.put(obj: .ROOT, key: "lamp", value: .Boolean(true))
    try hall.put(obj: .ROOT, key: "door", value: .String("open"))
    try kitchen.merge(other: hall)
    try hall.merge(other: kitchen)
    #expect(kitchen.heads() == hall.heads())

    let first = Document()
    let second = first.fork()
    try first.put(obj: .ROOT, key: "colour", value: .String("red"))
    try second.put(obj: .ROOT, key: "colour", value: .String("blue"))
    try first.merge(other: second)
    #expect(try first.getAll(obj: .ROOT, key: "colour").count == 2)

    let tally = Document()
    try tally.put(obj: .ROOT, key: "visits", value: .Counter(0))
    let door = tally.fork()
    try tally.increment(obj: .ROOT, key: "visits", by: 2)
    try door.increment(obj: .ROOT, key: "visits", by: 3)
    try tally.merge(other: door)
    #expect(try tally.get(obj: .ROOT, key: "visits") == .Scalar(.Counter(5)))

    let diary = Document()
    try diary.put(obj: .ROOT, key: "mood", value: .String("calm"))
    let morning = diary.heads()
    try diary.put(obj: .ROOT, key: "mood", value: .String("busy"))
    #expect(try diary.getAt(obj: .ROOT, key: "mood", heads: morning) == .Scalar(.String("calm")))
  }

  @Test func `texts and marks`() throws {
    let note = Document()
    let body = try note.putObject(obj: .ROOT, key: "body", ty: .Text)
    try note.spliceText(obj: body, start: 0, delete: 0, value: "Hello world")
    let other = note.fork()
    try note.spliceText(obj: body, start: 0, delete: 5, value: "Goodbye")
    try other.spliceText(obj: body, start: 11, delete: 0, value: "!")
    try note.merge(other: other)
    #expect(try note.text(obj: body) == "Goodbye world!")

    try note.updateText(obj: body, value: "Goodbye, world!")
    #expect(try note.text(obj: body) == "Goodbye, world!")

    let cursor = try note.cursor(obj: body, position: 9)
    try note.spliceText(obj: body, start: 0, delete: 0, value: "So: ")
    #expect(try note.position(obj: body, cursor: cursor) == 13)

    let page = Document()
    let text = try page.putObject(obj: .ROOT, key: "text", ty: .Text)
    try page.spliceText(obj: text, start: 0, delete: 0, value: "plain bold")
    try page.mark(obj: text, start: 6, end: 10, expand: .after, name: "bold", value: .Boolean(true))
    try page.spliceText(obj: text, start: 10, delete: 0, value: "er")
    #expect(try page.marks(obj: text).map { [$0.start, $0.end] } == [[6, 12]])
  }

  @Test func syncing() throws {
    let phone = Document()
    try phone.put(obj: .ROOT, key: "from", value: .String("phone"))
    let laptop = Document()
    try laptop.put(obj: .ROOT, key: "to", value: .String("laptop"))

    let phoneState = SyncState()
    let laptopState = SyncState()
    var isDone = false
    while !isDone {
      isDone = true
      if let message = phone.generateSyncMessage(state: phoneState) {
        try laptop.receiveSyncMessage(state: laptopState, message: message)
        isDone = false
      }
      if let message = laptop.generateSyncMessage(state: laptopState) {
        try phone.receiveSyncMessage(state: phoneState, message: message)
        isDone = false
      }
    }
    #expect(phone.heads() == laptop.heads())

    let kept = phoneState.encode()
    let again = try SyncState(bytes: kept)
    #expect(phone.generateSyncMessage(state: again) != nil)

    let tablet = phone.fork()
    try phone.put(obj: .ROOT, key: "seen", value: .Boolean(true))
    let patches = try tablet.mergeWithPatches(other: phone)
    #expect(patches.count == 1)
  }

  @Test func `coming from automerge-swift`() throws {
    let older = Document()
    try older.put(obj: .ROOT, key: "kept", value: .Int(1))
    let changes = try older.encodeChangesSince(heads: [])
    let newer = Document()
    try newer.applyEncodedChanges(encoded: changes)
    #expect(newer.heads() == older.heads())
  }

  @Test func differences() throws {
    let draft = Document()
    let words = try draft.putObject(obj: .ROOT, key: "words", ty: .Text)
    try draft.spliceText(obj: words, start: 0, delete: 0, value: "abc")
    let bold = ScalarValue.Boolean(true)
    let marked: Void? = try? draft.mark(
      obj: words, start: 2, end: 1, expand: .none, name: "bold", value: bold)
    #expect(marked == nil)
  }
}
