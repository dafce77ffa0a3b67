extension History {
  /// Returns the rows of the changes that are not ancestors of `hashes`, nor these themselves,
  /// ascending; unknown hashes do not count (format.md 6.8).
  ///
  /// Goes from the youngest row down until all that is left is covered: the cost is in what is
  /// new, not in the whole history.
  func rows(notCoveredBy hashes: some Sequence<ChangeHash>) -> [Int] {
    var marks = [Mark](repeating: .unseen, count: count)
    // The rows still to come that something above leads to and nothing known covers. Every change
    // below is an ancestor of a row marked so far, so none open means all covered.
    var openCount = 0
    for row in headRows {
      marks[row] = .open
      openCount += 1
    }
    for hash in hashes {
      guard let row = row(of: hash) else { continue }
      if marks[row] == .open { openCount -= 1 }
      marks[row] = .covered
    }
    var rows: [Int] = []
    var row = count
    while openCount > 0, row > 0 {
      row -= 1
      // Dependencies are smaller rows: when a row's turn comes, its mark is final.
      switch marks[row] {
      case .unseen:
        break
      case .covered:
        for dependency in dependencies(of: row) {
          if marks[Int(dependency)] == .open { openCount -= 1 }
          marks[Int(dependency)] = .covered
        }
      case .open:
        rows.append(row)
        openCount -= 1
        for dependency in dependencies(of: row) where marks[Int(dependency)] == .unseen {
          marks[Int(dependency)] = .open
          openCount += 1
        }
      }
    }
    rows.reverse()
    return rows
  }

  private enum Mark: UInt8 {
    case unseen
    case open
    case covered
  }
}
