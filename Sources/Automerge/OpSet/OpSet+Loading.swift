extension OpSet {
  /// Takes over the rows of a document chunk after checking that they stand in document order and
  /// fit the objects they are on (format.md 4.4, 5.5, 8.2).
  init(_ document: inout DocumentChunk, textEncoding: TextEncoding) throws(FormatError) {
    self.init(textEncoding: textEncoding)
    pool = document.pool
    actors = document.actors
    var loader = RowLoader(document.takePages(), of: self)
    if let fact = loader.defect() { throw FormatError(fact, at: document.operationsOffset) }
    objects = loader.objects
    directory.reserveCapacity(loader.pages.count)
    for page in loader.pages { directory.append(page) }
  }
}

/// Checks the rows of a document chunk and finds out what readers see of each, in one pass.
///
/// The actors of a chunk are in ascending order, so ids compare by their raw words.
private struct RowLoader {
  private(set) var pages: [OperationPage]
  private(set) var objects = ObjectTable()
  private let operations: OpSet

  /// The object that the rows at hand are on, and the row before.
  private var object: OpID?
  private var kind = ObjectKind.map
  private var last = Operation(id: .root, object: .root, action: .set)
  /// How many rows there were of the key or element at hand.
  private var groupCount = 0
  /// Of a list: the element before and those it descends from.
  private var ancestors: [OpID] = []

  /// - Parameter operations: an op set without rows but with the pool.
  init(_ pages: [OperationPage], of operations: OpSet) {
    self.pages = pages
    self.operations = operations
  }

  mutating func defect() -> FormatError.Fact? {
    if let fact = collectObjects() { return fact }
    for page in pages.indices {
      var slot = 0
      while slot < pages[page].count {
        slot += settleFollowers(in: page, from: slot)
        guard slot < pages[page].count else { break }
        let row = pages[page].rows[slot]
        var isFirst = false
        if row.object != object {
          settleGroup(before: page, slot)
          if let fact = begin(row.object) { return fact }
          isFirst = true
        }
        guard row.object.raw < row.id.raw else { return .objectFromTheFuture }
        let isNewGroup: Bool
        if kind == .map {
          guard row.isMapOperation, !row.isInsert else { return .wrongObjectKind }
          let order = isFirst ? -1 : compareKeys(last, row)
          guard order < 0 || (order == 0 && last.id.raw < row.id.raw) else {
            return order == 0 && last.id == row.id ? .duplicateOperation : .operationsOutOfOrder
          }
          isNewGroup = order < 0
        } else {
          if let fact = defect(inSequence: row) { return fact }
          isNewGroup = row.isInsert
        }
        if isNewGroup { settleGroup(before: page, slot) }
        groupCount += 1
        last = row
        slot += 1
      }
    }
    settleGroup(before: pages.count, 0)
    return nil
  }

  /// Takes the rows of a page from `slot` on as long as each follows the one before, as nearly all of a
  /// text do: each is in order, and all but the last are all that was done to their elements.
  ///
  /// - Returns: how many rows those are.
  @inline(__always)
  private mutating func settleFollowers(in page: Int, from slot: Int) -> Int {
    guard kind.isSequence, pages[page].rows[slot].follows(last), ancestors.last == last.id
    else { return 0 }
    return settleRun(in: page, from: slot)
  }

  private mutating func settleRun(in page: Int, from slot: Int) -> Int {
    settleGroup(before: page, slot)
    var end = slot + 1
    while end < pages[page].count, pages[page].rows[end].follows(pages[page].rows[end - 1]) {
      end += 1
    }
    operations.settle(&pages[page].rows, slot..<end - 1, in: kind)
    // Whatever stands behind them descends from them, and takes from the stack what it does not need.
    for row in pages[page].rows[slot..<end] { ancestors.append(row.id) }
    groupCount = 1
    last = pages[page].rows[end - 1]
    return end - slot
  }

  private mutating func collectObjects() -> FormatError.Fact? {
    let count = pages.reduce(0) { sum, page in
      page.rows.reduce(sum) { $1.action.madeObject == nil ? $0 : $0 + 1 }
    }
    objects = ObjectTable(minimumCapacity: count)
    for page in pages {
      for row in page.rows {
        guard row.action != .delete else { return .deleteInDocument }
        guard row.action.madeObject != nil else { continue }
        guard row.object.raw < row.id.raw else { return .objectFromTheFuture }
        guard !objects.contains(row.id) else { return .duplicateOperation }
        objects.insert(madeBy: row)
      }
    }
    return nil
  }

  private mutating func begin(_ id: OpID) -> FormatError.Fact? {
    if let object, id.raw < object.raw {
      // Objects ascend, so an earlier one that comes again is out of order, not unknown.
      return objects.contains(id) ? .operationsOutOfOrder : .unknownObject
    }
    guard let kind = objects.kind(of: id) else { return .unknownObject }
    object = id
    self.kind = kind
    ancestors.removeAll(keepingCapacity: true)
    return nil
  }

  /// Keys ascend by bytes, operations of a key by id.
  @inline(__always)
  private func compareKeys(_ left: Operation, _ right: Operation) -> Int {
    operations.pool.compare(left.name.range, to: operations.pool, right.name.range)
  }

  /// Each insert comes after its reference element, separated from it only by elements that descend
  /// from the reference through siblings with greater ids; what was done to an element follows it.
  /// A stack of the elements that the one before descends from tells, without building the list.
  private mutating func defect(inSequence row: Operation) -> FormatError.Fact? {
    guard !row.isMapOperation, row.action != .mark || kind == .text else {
      return .wrongObjectKind
    }
    guard row.isInsert else {
      guard let element = ancestors.last, row.element == element else { return .unknownElement }
      return last.id.raw < row.id.raw ? nil : .operationsOutOfOrder
    }
    guard row.element.raw < row.id.raw else { return .objectFromTheFuture }
    var sibling = OpID.root
    while let ancestor = ancestors.last, ancestor != row.element {
      sibling = ancestor
      ancestors.removeLast()
    }
    guard !ancestors.isEmpty || row.element.isRoot else { return .unknownElement }
    guard sibling.isRoot || row.id.raw < sibling.raw else { return .operationsOutOfOrder }
    ancestors.append(row.id)
    return nil
  }

  // MARK: What readers see

  /// Notes what readers see of the operations on the key or element that ends in front of a place,
  /// from the last to the first.
  private mutating func settleGroup(before page: Int, _ slot: Int) {
    var isWon = false
    var row = Row(page: page, slot: slot)
    // The last page may be shorter than the others.
    if slot == 0, page > 0 { row = Row(page: page - 1, slot: pages[page - 1].count) }
    let end = row.index
    if groupCount == 1 {
      // Nearly every key and element has one row, which stands right in front.
      row.slot -= 1
      groupCount = 0
      return settle(row, groupEnd: end, &isWon)
    }
    for _ in 0..<groupCount {
      if row.slot == 0 { row = Row(page: row.page - 1, slot: pages[row.page - 1].count) }
      row.slot -= 1
      settle(row, groupEnd: end, &isWon)
    }
    groupCount = 0
  }

  /// Where a row is.
  private struct Row {
    var page: Int
    var slot: Int

    /// All pages but the last have as many rows.
    init(_ index: Int) {
      page = index / OperationPage.loadedCount
      slot = index % OperationPage.loadedCount
    }

    init(page: Int, slot: Int) {
      self.page = page
      self.slot = slot
    }

    var index: Int { page * OperationPage.loadedCount + slot }
  }

  @inline(__always)
  private mutating func settle(_ place: Row, groupEnd: Int, _ isWon: inout Bool) {
    let row = pages[place.page].rows[place.slot]
    guard row.isValue else { return }
    let isVisible =
      row.relatedCount == 0 || (row.isCounter && isIncrementedOnly(place, before: groupEnd))
    guard isVisible || kind == .text else { return }
    // Both are noted in one go: each access to a row of a page asks whether the page is shared.
    pages[place.page].rows[place.slot].note(
      width: kind == .text ? operations.width(of: row, in: kind) : row.width,
      isVisible ? (isWon ? .visible : [.visible, .winner]) : [])
    isWon = isWon || isVisible
  }

  /// Whether nothing but increments has followed a counter (format.md 5.3). Both its successors and
  /// the rows of its group ascend.
  private func isIncrementedOnly(_ counter: Row, before end: Int) -> Bool {
    var next = counter.index + 1
    for successor in pages[counter.page].successors(of: counter.slot) {
      guard next < end else { return false }
      // Mostly they are neighbours; but thousands of counters may have one increment in common.
      if operation(at: next).id != successor {
        var high = end
        while next < high {
          let middle = (next &+ high) >> 1
          if operation(at: middle).id.raw < successor.raw {
            next = middle &+ 1
          } else {
            high = middle
          }
        }
        guard next < end else { return false }
      }
      let row = operation(at: next)
      guard row.id == successor, row.action == .increment else { return false }
      next += 1
    }
    return true
  }

  private func operation(at index: Int) -> Operation {
    let row = Row(index)
    return pages[row.page].rows[row.slot]
  }
}

extension Operation {
  /// Notes how wide it is for readers, and what else is known of it.
  @inline(__always)
  fileprivate mutating func note(width: UInt32, _ facts: Flags) {
    self.width = width
    flags.formUnion(facts)
  }
}

extension OpSet {
  /// Notes of rows that nothing came after, each of another element, that readers see them.
  fileprivate func settle(_ rows: inout [Operation], _ range: Range<Int>, in kind: ObjectKind) {
    for slot in range {
      if kind == .text { rows[slot].width = width(of: rows[slot], in: kind) }
      rows[slot].flags.insert([.visible, .winner])
    }
  }
}
