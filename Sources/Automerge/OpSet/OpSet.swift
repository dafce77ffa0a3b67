/// All operations of a document but its deletes, in document order (format.md 4.4): by object; in a
/// map by key, then id; in a list or text by sequence, each element's insert before what was done
/// to the element later.
///
/// What lies together is read together: the operations of one key or one element are neighbours, a
/// group. The rows are cut in pages, so that one more row costs a search and a small move, and a
/// copy of the op set costs a reference a page. Each row knows whether readers see it, and the
/// directory how much of that is in each page; both follow from the operations alone.
struct OpSet: Sendable {
  /// Where a row is; behind the last row, the page after the last.
  struct Place: Equatable, Sendable {
    var page: Int
    var slot: Int

    @inline(__always)
    static func < (left: Place, right: Place) -> Bool {
      left.page != right.page ? left.page < right.page : left.slot < right.slot
    }
  }

  /// The rows of one key or one element.
  struct Group: Equatable, Sendable {
    var start: Place
    var end: Place

    var isEmpty: Bool { start == end }
  }

  var directory = PageDirectory()
  /// The bytes of keys, values and mark names. Only ever appended to.
  var pool: [UInt8] = []
  var objects = ObjectTable()
  /// Who made the operations, and in which order their ids stand.
  var actors = ActorTable()
  /// Where the elements of long lists and texts are.
  var elements = ElementIndex()
  /// What the width of a text element is counted in.
  let textEncoding: TextEncoding

  /// The operations of a document without changes.
  init(textEncoding: TextEncoding = .unicodeScalar) {
    self.textEncoding = textEncoding
  }

  /// The number of rows. Linear in the pages.
  var operationCount: Int { directory.pages.reduce(0) { $0 + $1.count } }

  /// For each actor a number that is greater the greater its id is.
  @inline(__always)
  var ranks: [UInt32] { actors.ranks }

  @inline(__always)
  func precedes(_ left: OpID, _ right: OpID) -> Bool { left.precedes(right, ranks) }

  // MARK: Taking back

  /// What an op set was before operations were added to it.
  struct Checkpoint {
    fileprivate let directory: PageDirectory
    fileprivate let poolCount: Int
    fileprivate let objectCount: Int
    fileprivate let actorCount: Int
  }

  /// Costs a reference a page.
  var checkpoint: Checkpoint {
    Checkpoint(
      directory: directory, poolCount: pool.count, objectCount: objects.count,
      actorCount: actors.count)
  }

  mutating func restore(_ checkpoint: Checkpoint) {
    directory = checkpoint.directory
    pool.removeSubrange(checkpoint.poolCount...)
    objects.truncate(to: checkpoint.objectCount)
    actors.truncate(to: checkpoint.actorCount)
    elements = ElementIndex()
  }
}

/// An operation that does not fit the document it is applied to.
struct Misfit: Error {
  let fact: FormatError.Fact
  let operation: OpID

  init(_ fact: FormatError.Fact, _ operation: OpID) {
    self.fact = fact
    self.operation = operation
  }
}
