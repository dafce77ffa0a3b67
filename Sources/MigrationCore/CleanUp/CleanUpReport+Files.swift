extension CleanUpReport {
  /// Files and what became of them. There may be as many as in the folder, so that their paths share one
  /// array: a file takes 24 bytes besides its path.
  package struct Files: RandomAccessCollection, Hashable, Sendable {
    private struct Entry: Hashable {
      /// Where its path is among all.
      var start: Int
      var byteCount: Int
      var length: UInt32
      var outcome: File.Outcome
      var leavesRest: Bool
    }

    private var entries: [Entry] = []
    private var paths: [UInt8] = []

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }

    package subscript(position: Int) -> File {
      let entry = entries[position]
      return File(
        path: String(decoding: path(of: entry), as: UTF8.self), outcome: entry.outcome,
        byteCount: entry.byteCount, leavesRest: entry.leavesRest)
    }

    /// Makes room for files; what of it no path needs takes no memory.
    mutating func reserve(_ count: Int) {
      entries.reserveCapacity(entries.count + count)
      paths.reserveCapacity(paths.count + 64 * count)
    }

    /// Adds a file behind the others.
    mutating func append(_ file: File) {
      let start = paths.count
      paths.append(contentsOf: file.path.utf8)
      entries.append(
        Entry(
          start: start, byteCount: file.byteCount,
          length: UInt32(truncatingIfNeeded: paths.count - start), outcome: file.outcome,
          leavesRest: file.leavesRest))
    }

    /// Puts the files into the order of their paths.
    mutating func sort() {
      let pairs = zip(entries, entries.dropFirst())
      if pairs.allSatisfy({ !precedes($0.1, $0.0) }) { return }
      let all = self
      self = Files()
      for entry in all.entries.sorted(by: all.precedes) {
        let start = paths.count
        paths.append(contentsOf: all.path(of: entry))
        entries.append(entry)
        entries[entries.count - 1].start = start
      }
    }

    /// How many became something.
    package func count(of outcome: File.Outcome) -> Int { entries.count { $0.outcome == outcome } }

    /// The size of those that do not stay where they are.
    package var goingByteCount: Int {
      entries.reduce(0) { $0 + ($1.outcome == .kept ? 0 : $1.byteCount) }
    }

    /// How many leave something in their place.
    package var restCount: Int { entries.count(where: \.leavesRest) }

    private func path(of entry: Entry) -> ArraySlice<UInt8> {
      paths[entry.start..<entry.start + Int(entry.length)]
    }

    private func precedes(_ left: Entry, _ right: Entry) -> Bool {
      path(of: left).lexicographicallyPrecedes(path(of: right))
    }
  }
}
