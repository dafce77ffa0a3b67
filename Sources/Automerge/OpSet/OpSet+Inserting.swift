extension OpSet {
  /// Inserts a row in front of the one at `place`, which the caller has found to be right, and
  /// returns where it is now.
  @discardableResult
  mutating func insert(_ operation: Operation, at place: Place) -> Place {
    var home = Place(page: place.page, slot: 0)
    if let room = makeRoom(at: place) {
      directory.insert(operation, page: room.page, slot: room.slot, ranks)
      home = room
    } else {
      var page = OperationPage()
      page.insert(operation, at: 0)
      directory.insert(page, at: place.page)
    }
    if !elements.isEmpty, operation.isInsert, elements.covers(operation.object) {
      elements.set(operation.id, directory.tokens[home.page])
    }
    return home
  }

  /// Inserts many rows, one after another, without successors.
  mutating func insert(_ operations: [Operation], at place: Place) {
    guard operations.count > OperationPage.capacity / 4 else {
      var place = place
      for operation in operations {
        let home = insert(operation, at: place)
        place = after(home)
      }
      return
    }
    var index = place.page
    if place.slot > 0 {
      splitPage(place.page, at: place.slot)
      index += 1
    }
    var pages: [OperationPage] = []
    pages.reserveCapacity(operations.count / OperationPage.capacity + 1)
    var next = 0
    while next < operations.count {
      var page = OperationPage()
      page.reserveCapacity()
      for operation in operations[next...].prefix(OperationPage.capacity) {
        page.append(operation, successors: [])
      }
      next += OperationPage.capacity
      pages.append(page)
    }
    directory.insert(pages, at: index)
    for page in index..<index + pages.count { noteElements(of: page) }
  }

  /// Returns a place that means the same and is in a page with room for one more row; nil if the
  /// row needs a page of its own, in front of the one at `place`.
  private mutating func makeRoom(at place: Place) -> Place? {
    if place.slot == 0 {
      // Between two pages: the end of the first is as good as the start of the second.
      if place.page > 0 {
        let count = directory.pages[place.page &- 1].count
        if count < OperationPage.capacity { return Place(page: place.page &- 1, slot: count) }
      }
      guard place.page < directory.count,
        directory.pages[place.page].count < OperationPage.capacity
      else { return nil }
      return place
    }
    guard directory.pages[place.page].count == OperationPage.capacity else { return place }
    let half = OperationPage.capacity / 2
    splitPage(place.page, at: half)
    return place.slot > half ? Place(page: place.page &+ 1, slot: place.slot &- half) : place
  }

  private mutating func splitPage(_ page: Int, at slot: Int) {
    guard slot < directory.pages[page].count else { return }
    directory.split(page, at: slot)
    noteElements(of: page + 1)
  }

  /// Keeps the index of elements right for a page that is new.
  private mutating func noteElements(of page: Int) {
    guard !elements.isEmpty else { return }
    for row in directory.pages[page].rows where row.isInsert && elements.covers(row.object) {
      elements.set(row.id, directory.tokens[page])
    }
  }
}
