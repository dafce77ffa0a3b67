extension OpSet {
  /// The row at a place, which must not be the end.
  @inline(__always)
  subscript(place: Place) -> Operation { directory.pages[place.page].rows[place.slot] }

  /// Returns the place behind a row.
  @inline(__always)
  func after(_ place: Place) -> Place {
    place.slot &+ 1 < directory.pages[place.page].count
      ? Place(page: place.page, slot: place.slot &+ 1) : Place(page: place.page &+ 1, slot: 0)
  }

  // MARK: Objects

  /// Returns where the rows of an object begin, or would begin. Logarithmic.
  func start(of object: OpID) -> Place { firstPlace(in: object) { _ in true } }

  /// Returns the first of an object's rows that `isReached` holds for, or where the object ends.
  /// Once true it must stay true. Logarithmic.
  @inline(__always)
  func firstPlace(in object: OpID, where isReached: (Operation) -> Bool) -> Place {
    // The pages that begin with a row of the object.
    var low = firstPage(reaching: object)
    var high = low
    var step = 1
    while high < directory.count, directory.objects[high] == object {
      high = min(high &+ step, directory.count)
      step &*= 2
    }
    // Of these, the first whose first row is reached; pages behind the object count as reached.
    while low < high {
      let middle = (low &+ high) >> 1
      if directory.objects[middle] == object, !isReached(directory.pages[middle].rows[0]) {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    guard low > 0 else { return Place(page: 0, slot: 0) }
    // What is searched for may still be among the last rows of the page before.
    let rows = directory.pages[low &- 1].rows
    let slot = firstSlot(of: object, in: rows, where: isReached)
    return slot < rows.count ? Place(page: low &- 1, slot: slot) : Place(page: low, slot: 0)
  }

  /// Returns where the rows of an object end.
  func end(of object: OpID) -> Place { firstPlace(in: object) { _ in false } }

  /// Returns the number of keys, elements or text units that readers see. Linear in the pages.
  func length(of object: OpID) -> Int { width(of: object, before: end(of: object)) }

  /// Returns the number of units that readers see of an object's rows before `place`.
  func width(of object: OpID, before place: Place) -> Int {
    width(from: start(of: object), to: place)
  }

  /// Returns the number of units that readers see from one place to another. A sum a page.
  func width(from start: Place, to end: Place) -> Int {
    guard start < end else { return 0 }
    if start.page == end.page { return width(in: start.page, from: start.slot, to: end.slot) }
    var width = width(in: start.page, from: start.slot, to: .max)
    for page in start.page &+ 1..<end.page { width &+= directory.widths[page] }
    if end.slot > 0 { width &+= self.width(in: end.page, from: 0, to: end.slot) }
    return width
  }

  private func width(in page: Int, from first: Int, to last: Int) -> Int {
    let rows = directory.pages[page].rows
    let last = min(last, rows.count)
    if first == 0, last == rows.count { return directory.widths[page] }
    var width = 0
    for slot in first..<last where rows[slot].isWinner { width &+= Int(rows[slot].width) }
    return width
  }

  // MARK: Groups

  /// Returns the operations on a key of a map, empty where they would be if there are none.
  ///
  /// - Parameter key: a range of `bytes`.
  func group(of object: OpID, key: Range<Int>, in bytes: [UInt8]) -> Group {
    // The pool alone: a closure over the op set would take it along, reference by reference.
    let pool = pool
    let start = firstPlace(in: object) { pool.compare($0.name.range, to: bytes, key) >= 0 }
    guard start.page < directory.count else { return Group(start: start, end: start) }
    let row = self[start]
    guard row.object == object, pool.compare(row.name.range, to: bytes, key) == 0 else {
      return Group(start: start, end: start)
    }
    return group(from: start)
  }

  /// Returns the group that a row is the first of. Logarithmic.
  @inline(__always)
  func group(from start: Place) -> Group {
    let first = self[start]
    let rows = directory.pages[start.page].rows
    // Most groups are one row; that is seen at the first look.
    var last = start.slot
    var step = 1
    while last &+ step < rows.count, isInGroup(rows[last &+ step], of: first) {
      last &+= step
      step &*= 2
    }
    while step > 1 {
      step /= 2
      if last &+ step < rows.count, isInGroup(rows[last &+ step], of: first) { last &+= step }
    }
    let end = Place(page: start.page, slot: last &+ 1)
    return Group(
      start: start,
      end: end.slot < rows.count ? end : self.end(ofLongGroup: first, after: end.page))
  }

  /// Returns where a group ends that reaches to the end of a page.
  private func end(ofLongGroup first: Operation, after page: Int) -> Place {
    var known = page
    var step = 1
    func begins(_ page: Int) -> Bool {
      page < directory.count && isInGroup(directory.pages[page].rows[0], of: first)
    }
    while begins(known &+ step) {
      known &+= step
      step &*= 2
    }
    while step > 1 {
      step /= 2
      if begins(known &+ step) { known &+= step }
    }
    guard known > page else { return Place(page: page &+ 1, slot: 0) }
    let rows = directory.pages[known].rows
    var low = 1
    var high = rows.count
    while low < high {
      let middle = (low &+ high) >> 1
      if isInGroup(rows[middle], of: first) { low = middle &+ 1 } else { high = middle }
    }
    return low < rows.count ? Place(page: known, slot: low) : Place(page: known &+ 1, slot: 0)
  }

  /// Returns the group that a row of a list or text is in.
  func group(around place: Place) -> Group {
    let row = self[place]
    guard !row.isInsert else { return group(from: place) }
    let page = pageOfInsert(ofElementAt: place)
    let rows = directory.pages[page].rows
    var slot = page == place.page ? place.slot : rows.count &- 1
    while slot > 0, !rows[slot].isInsert { slot &-= 1 }
    return group(from: Place(page: page, slot: slot))
  }

  /// Returns the page with the insert of the element that a row was done to later. A long history
  /// of one element fills whole pages; logarithmic in these.
  private func pageOfInsert(ofElementAt place: Place) -> Int {
    let row = self[place]
    func begins(_ page: Int) -> Bool {
      guard page >= 0 else { return false }
      let first = directory.pages[page].rows[0]
      return first.object == row.object && !first.isInsert && first.element == row.element
    }
    // The last page that does not begin with what was done to the element.
    var page = place.page &+ 1
    var step = 1
    while begins(page &- step) {
      page &-= step
      step &*= 2
    }
    while step > 1 {
      step /= 2
      if begins(page &- step) { page &-= step }
    }
    return page &- 1
  }

  /// Returns the name of a key from its operations, which are not empty.
  func key(of group: Group) -> String {
    String(decoding: pool[self[group.start].name.range], as: UTF8.self)
  }

  /// Whether a row that follows `first` without another group between is of its group.
  @inline(__always)
  private func isInGroup(_ row: Operation, of first: Operation) -> Bool {
    guard row.object == first.object else { return false }
    return first.isMapOperation
      ? pool.areEqual(row.name.range, first.name.range)
      : !row.isInsert && row.element == first.id
  }

  /// Returns the row with an id, nil if the group has none. Logarithmic.
  func place(of id: OpID, in group: Group) -> Place? {
    let place = place(reaching: id, in: group)
    return place < group.end && self[place].id == id ? place : nil
  }

  /// Returns the first row of a group that does not precede an id, or its end. Logarithmic.
  func place(reaching id: OpID, in group: Group) -> Place {
    firstPlace(in: group) { !precedes($0.id, id) } ?? group.end
  }

  /// Returns where a row with this id belongs in a group: operations of a group ascend. Logarithmic.
  func insertionPlace(for id: OpID, in group: Group) -> Place {
    firstPlace(in: group) { precedes(id, $0.id) } ?? group.end
  }

  /// Returns the first row of a group that `isReached` holds for, nil if none does. Once true it
  /// must stay true.
  @inline(__always)
  private func firstPlace(in group: Group, where isReached: (Operation) -> Bool) -> Place? {
    guard !group.isEmpty else { return nil }
    let lastPage = group.end.slot > 0 ? group.end.page : group.end.page &- 1
    // The last page whose first row is not reached; what comes is mostly younger than all there is.
    var page = lastPage
    if page > group.start.page, isReached(directory.pages[page].rows[0]) {
      var low = group.start.page &+ 1
      while low < page {
        let middle = (low &+ page) >> 1
        if isReached(directory.pages[middle].rows[0]) { page = middle } else { low = middle &+ 1 }
      }
      page &-= 1
    }
    let rows = directory.pages[page].rows
    var low = page == group.start.page ? group.start.slot : 0
    let end = page == group.end.page ? group.end.slot : rows.count
    var high = end
    while low < high {
      let middle = (low &+ high) >> 1
      if isReached(rows[middle]) { high = middle } else { low = middle &+ 1 }
    }
    if low < end { return Place(page: page, slot: low) }
    return page < lastPage ? Place(page: page &+ 1, slot: 0) : nil
  }

  // MARK: Elements

  /// Returns the winner that an index falls on and how many units of it come before the index; nil
  /// beyond the end. Linear in the pages of the object, a sum a page.
  func winner(at index: Int, of object: OpID) -> (place: Place, offset: Int)? {
    guard index >= 0 else { return nil }
    let start = start(of: object)
    var rest = index
    var page = start.page
    if start.slot > 0 {
      if let found = winner(&rest, of: object, in: page, from: start.slot) { return found }
      page &+= 1
    }
    // All but the last of the pages that begin with the object have nothing else.
    let last = directory.lastPage(beginningWith: object, from: page)
    page = directory.page(&rest, from: page, to: last)
    while page < directory.count, directory.objects[page] == object {
      if let found = winner(&rest, of: object, in: page, from: 0) { return found }
      page &+= 1
    }
    return nil
  }

  /// Searches one page; takes what it passes from `rest`.
  @inline(__always)
  private func winner(
    _ rest: inout Int, of object: OpID, in page: Int, from slot: Int
  ) -> (place: Place, offset: Int)? {
    let rows = directory.pages[page].rows
    for slot in slot..<rows.count where rows[slot].isWinner {
      guard rows[slot].object == object else { return nil }
      let width = Int(rows[slot].width)
      if rest < width { return (Place(page: page, slot: slot), rest) }
      rest &-= width
    }
    return nil
  }

  /// Returns the first rows of all groups, in order, that are in pages of a list or text with marks.
  func placesOfMarkedPages(of sequence: OpID) -> [Place] {
    let start = start(of: sequence)
    guard start.page < directory.count else { return [] }
    var places: [Place] = []
    let last = directory.lastPage(beginningWith: sequence, from: start.page)
    for page in start.page...last where directory.markCounts[page] > 0 {
      var place = page == start.page ? start : group(around: Place(page: page, slot: 0)).start
      while place.page <= page, let group = group(at: place, of: sequence) {
        places.append(place)
        place = group.end
      }
    }
    return places
  }

  /// Returns the insert of an element, nil if the object has no such element.
  mutating func place(ofElement id: OpID, in object: OpID) -> Place? {
    let start = start(of: object)
    let last = start.page + ElementIndex.scannedPages
    guard last < directory.count, directory.objects[last] == object else {
      guard let place = scan(for: id, in: object, from: start, to: directory.count),
        self[place].isInsert
      else { return nil }
      return place
    }
    if !elements.covers(object) { indexElements(of: object, from: start) }
    guard let token = elements[id] else { return nil }
    let page = directory.index(ofToken: token)
    return scan(for: id, in: object, from: Place(page: page, slot: 0), to: page + 1)
  }

  /// Returns the row with an id, nil if the object has none. Linear.
  func scannedPlace(of id: OpID, in object: OpID) -> Place? {
    scan(for: id, in: object, from: start(of: object), to: directory.count)
  }

  private func scan(
    for id: OpID, in object: OpID, from start: Place, to lastPage: Int
  ) -> Place? {
    var slot = start.slot
    for page in start.page..<max(lastPage, start.page) {
      let rows = directory.pages[page].rows
      if slot == 0, directory.objects[page] != object, precedes(object, directory.objects[page]) {
        return nil
      }
      while slot < rows.count {
        if rows[slot].id == id {
          return rows[slot].object == object ? Place(page: page, slot: slot) : nil
        }
        slot &+= 1
      }
      slot = 0
    }
    return nil
  }

  private mutating func indexElements(of object: OpID, from start: Place) {
    elements.cover(object)
    var slot = start.slot
    for page in start.page..<directory.count {
      guard slot > 0 || directory.objects[page] == object else { return }
      let rows = directory.pages[page].rows
      while slot < rows.count, rows[slot].object == object {
        if rows[slot].isInsert { elements.set(rows[slot].id, directory.tokens[page]) }
        slot &+= 1
      }
      slot = 0
    }
  }
}
