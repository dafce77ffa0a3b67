/// The pages of an op set in order, with what a search has to know of each without opening it.
struct PageDirectory: Sendable {
  private(set) var pages: [OperationPage] = []
  /// For each page the object of its first row.
  private(set) var objects: [OpID] = []
  /// For each page the sum of the widths of its winners.
  private(set) var widths: [Int] = []
  /// For each page the number of rows that readers see.
  private(set) var visibleCounts: [Int32] = []
  /// For each page the number of its marks.
  private(set) var markCounts: [Int32] = []
  /// For each page a number that stays the same however many pages are put in front of it.
  private(set) var tokens: [UInt32] = []
  /// For each token the index of its page.
  private var indexes: [UInt32] = []
  /// For each page the least of its inserts.
  private(set) var leastInserts = LeastInserts()

  init() {}

  @inline(__always)
  var count: Int { pages.count }

  /// Returns the index of the page with a token.
  func index(ofToken token: UInt32) -> Int { Int(indexes[Int(token)]) }

  /// Passes pages by the sums of their widths: returns the first of `first..<last` that `rest` units
  /// end in, or `last`, and takes the passed ones from `rest`.
  func page(_ rest: inout Int, from first: Int, to last: Int) -> Int {
    var page = first
    // Eight at a time: one comparison for all of them.
    while page &+ 8 <= last {
      var sum = 0
      for index in page..<page &+ 8 { sum &+= widths[index] }
      guard sum <= rest else { break }
      rest &-= sum
      page &+= 8
    }
    while page < last, widths[page] <= rest {
      rest &-= widths[page]
      page &+= 1
    }
    return page
  }

  /// Returns the first page behind `page`, which has no visible rows, that has some; at the most
  /// `last`, or the page behind that.
  func visiblePage(from page: Int, to last: Int) -> Int {
    var page = page &+ 1
    // Sixteen at a time: a key that was written ten thousand times has eighty such pages.
    while page &+ 16 <= last {
      var all: Int32 = 0
      for index in page..<page &+ 16 { all |= visibleCounts[index] }
      guard all == 0 else { break }
      page &+= 16
    }
    while page < last, visibleCounts[page] == 0 { page &+= 1 }
    return page
  }

  /// Returns the last page in front of `page` that has visible rows; at the least `first`.
  func visiblePage(before page: Int, downTo first: Int) -> Int {
    var page = page &- 1
    while page &- 16 >= first {
      var all: Int32 = 0
      for index in page &- 15...page { all |= visibleCounts[index] }
      guard all == 0 else { break }
      page &-= 16
    }
    while page > first, visibleCounts[page] == 0 { page &-= 1 }
    return page
  }

  /// Returns the first of the pages from `page` on that is not all of an object or has an insert
  /// that does not follow `id`.
  mutating func page(
    from page: Int, of object: OpID, withInsertUpTo id: OpID, _ ranks: [UInt32]
  ) -> Int {
    let last = lastPage(beginningWith: object, from: page)
    guard last > page else { return page }
    return leastInserts.firstPage(from: page, to: last, withInsertUpTo: id, pages, ranks)
  }

  /// Returns the last of the pages from `page` on that begin with an object; `page` if none does.
  /// Logarithmic in their number.
  func lastPage(beginningWith object: OpID, from page: Int) -> Int {
    var known = page
    var step = 1
    while known &+ step < count, objects[known &+ step] == object {
      known &+= step
      step &*= 2
    }
    while step > 1 {
      step /= 2
      if known &+ step < count, objects[known &+ step] == object { known &+= step }
    }
    return known
  }

  // MARK: Pages

  mutating func reserveCapacity(_ count: Int) {
    pages.reserveCapacity(count)
    objects.reserveCapacity(count)
    widths.reserveCapacity(count)
    visibleCounts.reserveCapacity(count)
    markCounts.reserveCapacity(count)
    tokens.reserveCapacity(count)
    indexes.reserveCapacity(count)
  }

  /// Puts a page, which is not empty, in front of the one at `index`.
  mutating func insert(_ page: OperationPage, at index: Int) {
    if index == pages.count { append(page) } else { insert([page], at: index) }
  }

  /// Puts pages, none of them empty, in front of the one at `index`.
  mutating func insert(_ added: [OperationPage], at index: Int) {
    let summaries = added.map(Summary.init)
    let firstToken = UInt32(truncatingIfNeeded: indexes.count)
    let addedTokens = (0..<UInt32(truncatingIfNeeded: added.count)).map { firstToken &+ $0 }
    pages.insert(contentsOf: added, at: index)
    leastInserts.insertPages(added.count, at: index)
    objects.insert(contentsOf: added.map { $0.rows[0].object }, at: index)
    widths.insert(contentsOf: summaries.map(\.width), at: index)
    visibleCounts.insert(contentsOf: summaries.map(\.visibleCount), at: index)
    markCounts.insert(contentsOf: summaries.map(\.markCount), at: index)
    tokens.insert(contentsOf: addedTokens, at: index)
    indexes.append(contentsOf: addedTokens)
    for moved in index..<tokens.count {
      indexes[Int(tokens[moved])] = UInt32(truncatingIfNeeded: moved)
    }
  }

  /// Appends a page, which is not empty.
  mutating func append(_ page: OperationPage) {
    let summary = Summary(page)
    objects.append(page.rows[0].object)
    widths.append(summary.width)
    visibleCounts.append(summary.visibleCount)
    markCounts.append(summary.markCount)
    indexes.append(UInt32(truncatingIfNeeded: pages.count))
    tokens.append(UInt32(truncatingIfNeeded: indexes.count - 1))
    pages.append(page)
    leastInserts.insertPages(1, at: pages.count - 1)
  }

  /// Cuts a page in two; the first part keeps the token.
  mutating func split(_ page: Int, at slot: Int) {
    let tail = pages[page].split(at: slot)
    let summary = Summary(tail)
    widths[page] -= summary.width
    visibleCounts[page] -= summary.visibleCount
    markCounts[page] -= summary.markCount
    leastInserts.cut(page)
    insert(tail, at: page + 1)
  }

  // MARK: Rows

  /// Inserts a row without successors.
  mutating func insert(_ operation: Operation, page: Int, slot: Int, _ ranks: [UInt32]) {
    pages[page].insert(operation, at: slot)
    if operation.isInsert { leastInserts.insert(operation.id, page: page, ranks) }
    if slot == 0 { objects[page] = operation.object }
    if operation.isVisible { visibleCounts[page] &+= 1 }
    if operation.isWinner { widths[page] &+= Int(operation.width) }
    if operation.action == .mark { markCounts[page] &+= 1 }
  }

  mutating func addSuccessor(_ id: OpID, page: Int, slot: Int, _ ranks: [UInt32]) {
    pages[page].addSuccessor(id, to: slot, ranks)
  }

  /// Changes what readers see of a row.
  mutating func setVisibility(page: Int, slot: Int, isVisible: Bool, isWinner: Bool) {
    let row = pages[page].rows[slot]
    var flags = row.flags.subtracting([.visible, .winner])
    if isVisible { flags.insert(.visible) }
    if isWinner { flags.insert(.winner) }
    guard flags != row.flags else { return }
    if row.isVisible != isVisible { visibleCounts[page] &+= isVisible ? 1 : -1 }
    if row.isWinner != isWinner { widths[page] &+= isWinner ? Int(row.width) : -Int(row.width) }
    pages[page].setFlags(flags, of: slot)
  }

  /// What is kept of a page beside it.
  struct Summary: Equatable {
    private(set) var width = 0
    private(set) var visibleCount: Int32 = 0
    private(set) var markCount: Int32 = 0

    init(_ page: OperationPage) {
      for row in page.rows {
        if row.isVisible { visibleCount &+= 1 }
        if row.isWinner { width &+= Int(row.width) }
        if row.action == .mark { markCount &+= 1 }
      }
    }
  }
}
