#if INTERNAL_CHECKS
  extension OpSet {
    /// Returns what is wrong with the order, the visibility or the sums; nothing for a sound op set.
    /// Everything is worked out again from the operations, one by one.
    func brokenInvariants() -> [String] {
      directoryDefects() + orderDefects() + placeDefects() + visibilityDefects() + elementDefects()
    }

    private func directoryDefects() -> [String] {
      var broken: [String] = []
      for (index, page) in directory.pages.enumerated() {
        guard let first = page.rows.first else {
          broken.append("page \(index) is empty")
          continue
        }
        if page.count > OperationPage.capacity { broken.append("page \(index) is too long") }
        if directory.objects[index] != first.object { broken.append("page \(index): object") }
        let summary = PageDirectory.Summary(page)
        if summary.width != directory.widths[index] { broken.append("page \(index): width") }
        if summary.visibleCount != directory.visibleCounts[index] {
          broken.append("page \(index): visible rows")
        }
        if summary.markCount != directory.markCounts[index] {
          broken.append("page \(index): marks")
        }
        if !directory.leastInserts.isSound(index, page, ranks) {
          broken.append("page \(index): least insert")
        }
        if directory.index(ofToken: directory.tokens[index]) != index {
          broken.append("page \(index): token")
        }
        var start: UInt32 = 0
        for row in page.rows {
          if row.relatedStart != start { broken.append("page \(index): successors of \(row.id)") }
          start += row.relatedCount
        }
        for (slot, row) in page.rows.enumerated() {
          let successors = page.successors(of: slot)
          for (left, right) in zip(successors, successors.dropFirst())
          where !precedes(left, right) { broken.append("successors of \(row.id) do not ascend") }
        }
        if Int(start) != page.successors.count { broken.append("page \(index): successors") }
      }
      return broken
    }

    /// Each object is found where it begins and where it ends, be it that it has no rows.
    private func placeDefects() -> [String] {
      var broken: [String] = []
      var place = Place(page: 0, slot: 0)
      let all = objects.entries.map(\.id).sorted { precedes($0, $1) }
      for object in all {
        if start(of: object) != place { broken.append("start of \(object)") }
        while place.page < directory.count, self[place].object == object { place = after(place) }
        if end(of: object) != place { broken.append("end of \(object)") }
      }
      return broken
    }

    private func orderDefects() -> [String] {
      var broken: [String] = []
      var last: Operation?
      var ancestors: [OpID] = []
      for row in directory.pages.lazy.flatMap(\.rows) {
        if let last, last.object != row.object, !precedes(last.object, row.object) {
          broken.append("objects: \(row.id)")
        }
        let isFirst = last?.object != row.object
        guard let object = objects[row.object] else {
          broken.append("unknown object of \(row.id)")
          continue
        }
        if row.action.madeObject != nil, objects[row.id] == nil {
          broken.append("object \(row.id)")
        }
        if object.kind.isSequence == row.isMapOperation { broken.append("kind of \(row.id)") }
        if row.isMapOperation, let last, !isFirst {
          let order = pool.compare(last.name.range, to: pool, row.name.range)
          if order > 0 || (order == 0 && !precedes(last.id, row.id)) {
            broken.append("key \(row.id)")
          }
        }
        if isFirst { ancestors = [] }
        if object.kind.isSequence, row.isInsert {
          var sibling = OpID.root
          while let ancestor = ancestors.last, ancestor != row.element {
            sibling = ancestor
            ancestors.removeLast()
          }
          if ancestors.isEmpty, !row.element.isRoot { broken.append("reference of \(row.id)") }
          if !sibling.isRoot, !precedes(row.id, sibling) { broken.append("sequence at \(row.id)") }
          ancestors.append(row.id)
        } else if object.kind.isSequence {
          if ancestors.last != row.element { broken.append("element of \(row.id)") }
          if let last, !precedes(last.id, row.id) { broken.append("updates at \(row.id)") }
        }
        last = row
      }
      return broken
    }

    private func visibilityDefects() -> [String] {
      var broken: [String] = []
      for object in objects.entries {
        forEachGroup(of: object.id) { group in
          var increments: Set<OpID> = []
          var visible: [Place] = []
          var place = group.start
          while place < group.end {
            if self[place].action == .increment { increments.insert(self[place].id) }
            place = after(place)
          }
          place = group.start
          while place < group.end {
            let row = self[place]
            let successors = directory.pages[place.page].successors(of: place.slot)
            let isVisible =
              row.isValue
              && (row.isCounter
                ? successors.allSatisfy { increments.contains($0) } : successors.isEmpty)
            if isVisible { visible.append(place) }
            if isVisible != row.isVisible { broken.append("visibility of \(row.id)") }
            if row.isValue, row.width != width(of: row, in: object.kind) {
              broken.append("width of \(row.id)")
            }
            place = after(place)
          }
          place = group.start
          while place < group.end {
            if self[place].isWinner != (visible.last == place) {
              broken.append("winner at \(self[place].id)")
            }
            place = after(place)
          }
        }
      }
      return broken
    }

    /// An index of elements names the page of each.
    private func elementDefects() -> [String] {
      guard !elements.isEmpty else { return [] }
      var broken: [String] = []
      for (index, page) in directory.pages.enumerated() {
        for row in page.rows where row.isInsert && elements.covers(row.object) {
          if elements[row.id] != directory.tokens[index] { broken.append("page of \(row.id)") }
        }
      }
      return broken
    }
  }
#endif
