// Putting a report together: what was done adds up, what stays is told as it was seen last.
extension MergeReport {
  /// Puts the bases in path order, each once with everything that became of it.
  mutating func arrangeBases() {
    var arranged: [Base] = []
    for base in bases.enumerated().sorted(by: { left, right in
      left.element.path == right.element.path
        ? left.offset < right.offset
        : left.element.path.utf8.lexicographicallyPrecedes(right.element.path.utf8)
    }).map(\.element) {
      if let last = arranged.indices.last, arranged[last].path == base.path {
        arranged[last].add(base)
      } else {
        arranged.append(base)
      }
    }
    bases = arranged
  }

  /// Takes out everything about copies that nothing came of.
  mutating func forgetWhatStays() {
    for index in bases.indices {
      bases[index].copies.removeAll { !$0.outcome.leavesItsName }
    }
    bases.removeAll { $0.copies.isEmpty && !$0.isWritten }
  }

  /// Notes that a copy stays after all.
  mutating func keep(copyAt path: String) {
    for base in bases.indices {
      for copy in bases[base].copies.indices where bases[base].copies[copy].path == path {
        bases[base].copies[copy].outcome = .waiting
      }
    }
  }
}

extension MergeReport.Base {
  /// Takes in what became of the base later.
  fileprivate mutating func add(_ later: Self) {
    isWritten = isWritten || later.isWritten
    changesAdded += later.changesAdded
    copies += later.copies
    copies.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    let known = Set(differences)
    differences += later.differences.filter { !known.contains($0) }
  }

  /// Notes that nothing came of what was decided, but perhaps that a copy has the base's name.
  mutating func leave(besidesAdopted isAdopted: Bool) {
    isWritten = false
    changesAdded = 0
    differences = []
    for index in copies.indices where copies[index].outcome.leavesItsName {
      if isAdopted, copies[index].outcome == .adopted { continue }
      copies[index].outcome = .waiting
    }
  }
}
