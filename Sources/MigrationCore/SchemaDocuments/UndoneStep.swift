import Automerge
import FolderDocuments
import Folders
import Runs

/// What a step that is undone did to a document, by the changes of its history, and what other steps did to
/// it since.
struct UndoneStep {
  /// Changes of a step that do not build on each other, with what readers saw before and after them.
  struct Done {
    /// Whether they are those of the step that is undone.
    let isOurs: Bool
    let rows: [Int]
    let hashes: [ChangeHash]
    /// What they build on, themselves included.
    let past: [Bool]
    let before: Moment
    let after: Moment

    fileprivate init(
      _ rows: [Int], isOurs: Bool, past: [Bool], in document: DocumentState, _ kind: EntityKind,
      _ kinds: EntityKinds
    ) throws(MigrationError) {
      (self.rows, self.isOurs, self.past) = (rows, isOurs, past)
      hashes = rows.map { document.hash(ofChange: $0) }
      var before = past
      for row in rows { before[row] = false }
      self.before = Moment(try document.only(before), kind, kinds)
      after = Moment(try document.only(past), kind, kinds)
    }
  }

  /// What readers saw at a point of history. Numbers of operations are another document's own.
  struct Moment {
    let document: DocumentState
    let maps: [Identity: OpID]

    init(_ document: DocumentState, _ kind: EntityKind, _ kinds: EntityKinds) {
      self.document = document
      var maps: [Identity: OpID] = [:]
      for entity in DocumentRoot(document, of: kind, kinds).entities {
        maps[entity.identity] = entity.map
      }
      self.maps = maps
    }

    /// Returns the change that wrote what readers saw of a property; nil if they saw none.
    func writer(of name: [UInt8], of identity: Identity) -> ChangeHash? {
      guard let map = maps[identity], let value = document.value(of: map, key: name) else {
        return nil
      }
      return document.row(ofChangeThatMade: value.id).map { document.hash(ofChange: $0) }
    }
  }

  /// A change of another step that stands, and that builds on one of this.
  struct Later {
    /// The name of that step.
    let id: String
    let done: Done

    /// Whether it builds on one of some changes.
    func buildsOn(_ other: Done) -> Bool { other.rows.contains { done.past[$0] } }
  }

  /// Its changes that nobody has undone, and those of other steps before them that somebody has; the last
  /// first.
  let done: [Done]
  /// What other steps have changed after it.
  let later: [Later]
  /// The rows of the changes with which entities begin that came together with the step: it may have made
  /// them.
  private let joined: Set<Int>
  /// The rows of its changes that nobody has undone, and of all changes of steps that build on one of these:
  /// without the step they would have written nothing, or something else.
  let following: Set<Int>

  /// Looks at the history of a document of a kind that was loaded with its chunks; nil if the step was not
  /// done in it.
  init?(
    _ id: String, in document: DocumentState, of kind: EntityKind, _ kinds: EntityKinds
  ) throws(MigrationError) {
    let history = StepHistory(of: document)
    let entries = history.standing(of: id, in: document).done
    if entries.isEmpty { return nil }
    var done = try StepHistory.layers(of: entries, in: document).map {
      layer throws(MigrationError) in
      try Done(
        layer.entries.map(\.row), isOurs: true, past: layer.past, in: document, kind, kinds)
    }
    var later: [Later] = []
    for other in history.ids where !other.utf8.elementsEqual(id.utf8) {
      let standing = Set(history.standing(of: other, in: document).done.map(\.row))
      for entry in history.entries
      where entry.label == .step && entry.note.id.utf8.elementsEqual(other.utf8) {
        let past = document.past(ofChange: entry.row)
        if standing.contains(entry.row) {
          guard entries.contains(where: { past[$0.row] }) else { continue }
          let change = try Done(
            [entry.row], isOurs: false, past: past, in: document, kind, kinds)
          later.append(Later(id: other, done: change))
        } else if done.contains(where: { $0.isOurs && $0.past[entry.row] }) {
          done.append(
            try Done([entry.row], isOurs: false, past: past, in: document, kind, kinds))
        }
      }
    }
    // What a change builds on was applied before it.
    self.done = done.sorted { ($0.rows.max() ?? 0) > ($1.rows.max() ?? 0) }
    self.later = later
    joined = history.skeletonsMade(by: [id], in: document)
    var following = Set(entries.map(\.row))
    for entry in history.entries {
      let past = document.past(ofChange: entry.row)
      if entries.contains(where: { past[$0.row] }) { following.insert(entry.row) }
    }
    self.following = following
  }

  /// Whether the step has made what a change began.
  ///
  /// - Parameters:
  ///   - row: the row of that change; nil for what no change began.
  ///   - makesSuch: whether it makes an entity of that identity.
  func hasMade(_ row: Int?, makesSuch: Bool) -> Bool {
    guard let row else { return false }
    // A later run of the step builds on what an earlier one has made.
    if makesSuch, joined.contains(row) { return true }
    let own = done.filter(\.isOurs)
    return own.contains { $0.rows.contains(row) } || !own.contains { $0.past[row] }
  }
}
