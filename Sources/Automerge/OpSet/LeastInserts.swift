/// For each page of a directory the least of its inserts, and the same for each block of pages.
///
/// A search for the place of an insert passes over everything that was inserted there later
/// (format.md 5.5), which may be a whole text. Filled where somebody first searches so far; most
/// documents never do.
struct LeastInserts: Sendable {
  /// The pages of a block.
  private static let blockCount = 64
  /// Not worked out yet. Counters stay below 2^32 - 1, so no operation has this id or the next.
  private static let unknown = OpID(raw: .max)
  /// There are none.
  private static let none = OpID(raw: .max - 1)

  private var isKept = false
  private var pages: [OpID] = []
  /// Of the blocks that begin at each multiple of their length; those behind the last are unknown.
  private var blocks: [OpID] = []

  init() {}

  // MARK: Asking

  /// Returns the first of some pages that has an insert that does not follow `id`, or `last`.
  ///
  /// - Parameter contents: all pages of the directory.
  mutating func firstPage(
    from first: Int, to last: Int, withInsertUpTo id: OpID, _ contents: [OperationPage],
    _ ranks: [UInt32]
  ) -> Int {
    if !isKept {
      isKept = true
      pages = [OpID](repeating: Self.unknown, count: contents.count)
    }
    var page = first
    while page < last {
      let next = page &+ Self.blockCount
      if page % Self.blockCount == 0, next <= last,
        follows(id, leastOfBlock(page / Self.blockCount, contents, ranks), ranks)
      {
        page = next
      } else if follows(id, leastOfPage(page, contents, ranks), ranks) {
        page &+= 1
      } else {
        break
      }
    }
    return page
  }

  private func follows(_ id: OpID, _ least: OpID, _ ranks: [UInt32]) -> Bool {
    least == Self.none || id.precedes(least, ranks)
  }

  private mutating func leastOfPage(
    _ page: Int, _ contents: [OperationPage], _ ranks: [UInt32]
  ) -> OpID {
    guard pages[page] == Self.unknown else { return pages[page] }
    var least = Self.none
    for row in contents[page].rows where row.isInsert { Self.lower(&least, to: row.id, ranks) }
    pages[page] = least
    return least
  }

  private mutating func leastOfBlock(
    _ block: Int, _ contents: [OperationPage], _ ranks: [UInt32]
  ) -> OpID {
    while blocks.count <= block { blocks.append(Self.unknown) }
    guard blocks[block] == Self.unknown else { return blocks[block] }
    var least = Self.none
    for page in block * Self.blockCount..<(block + 1) * Self.blockCount {
      let other = leastOfPage(page, contents, ranks)
      if other != Self.none { Self.lower(&least, to: other, ranks) }
    }
    blocks[block] = least
    return least
  }

  private static func lower(_ least: inout OpID, to id: OpID, _ ranks: [UInt32]) {
    if least == none || (least != unknown && id.precedes(least, ranks)) { least = id }
  }

  // MARK: Changes of the directory

  /// Takes note of a row that was inserted into a page.
  mutating func insert(_ id: OpID, page: Int, _ ranks: [UInt32]) {
    guard isKept else { return }
    Self.lower(&pages[page], to: id, ranks)
    let block = page / Self.blockCount
    if block < blocks.count { Self.lower(&blocks[block], to: id, ranks) }
  }

  /// Takes note of new pages in front of the one at `index`.
  mutating func insertPages(_ count: Int, at index: Int) {
    guard isKept else { return }
    pages.insert(contentsOf: repeatElement(Self.unknown, count: count), at: index)
    forgetBlocks(from: index)
  }

  /// Takes note of rows that left a page.
  mutating func cut(_ page: Int) {
    guard isKept else { return }
    pages[page] = Self.unknown
    forgetBlocks(from: page)
  }

  private mutating func forgetBlocks(from page: Int) {
    let block = page / Self.blockCount
    if block < blocks.count { blocks.removeSubrange(block...) }
  }

  #if INTERNAL_CHECKS
    /// Whether what is known of a page is right.
    func isSound(_ page: Int, _ contents: OperationPage, _ ranks: [UInt32]) -> Bool {
      guard isKept, pages[page] != Self.unknown else { return true }
      var least = Self.none
      for row in contents.rows where row.isInsert { Self.lower(&least, to: row.id, ranks) }
      return least == pages[page]
    }
  #endif
}
