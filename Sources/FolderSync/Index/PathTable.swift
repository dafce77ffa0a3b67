import SafeFiles

/// What is known of each of some paths, in the order of the paths.
///
/// Two sides say something of a hundred thousand paths each, nearly always the same. So tables are gone
/// through side by side, which is one comparison for each path; a search takes the logarithm of their
/// number.
struct PathTable<Value> {
  /// Ascending, each once.
  private var paths: [RelativePath] = []
  private var values: [Value] = []

  init() {}

  /// Creates a table of what is given in any order; what is said of a path last is good.
  init(_ entries: [Element]) {
    var entries = entries
    let isAscending = zip(entries, entries.dropFirst()).allSatisfy { $0.path < $1.path }
    // The order of equal paths stays as it was.
    if !isAscending { entries.sort { $0.path < $1.path } }
    paths.reserveCapacity(entries.count)
    values.reserveCapacity(entries.count)
    for (path, value) in entries { append(value, at: path) }
  }

  private mutating func append(_ value: Value, at path: RelativePath) {
    if paths.last == path {
      values[values.count - 1] = value
    } else {
      paths.append(path)
      values.append(value)
    }
  }

  subscript(path: RelativePath) -> Value? {
    get {
      let place = place(of: path)
      return place < paths.count && paths[place] == path ? values[place] : nil
    }
    set {
      let place = place(of: path)
      let isKnown = place < paths.count && paths[place] == path
      switch (newValue, isKnown) {
      case (let value?, true): values[place] = value
      case (let value?, false):
        paths.insert(path, at: place)
        values.insert(value, at: place)
      case (nil, true):
        paths.remove(at: place)
        values.remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// Returns how many paths come before `path`.
  private func place(of path: RelativePath) -> Int {
    var range = 0..<paths.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        paths[middle] < path ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  // MARK: Two tables

  /// Calls `body` with each path that one of two tables has, ascending, and what either says of it.
  func forEachPair<Other>(
    with other: PathTable<Other>, _ body: (RelativePath, Value?, Other?) -> Void
  ) {
    var (left, right) = (0, 0)
    while left < paths.count, right < other.paths.count {
      if paths[left] == other.paths[right] {
        body(paths[left], values[left], other.values[right])
        (left, right) = (left + 1, right + 1)
      } else if paths[left] < other.paths[right] {
        body(paths[left], values[left], nil)
        left += 1
      } else {
        body(other.paths[right], nil, other.values[right])
        right += 1
      }
    }
    for place in left..<paths.count { body(paths[place], values[place], nil) }
    for place in right..<other.paths.count { body(other.paths[place], nil, other.values[place]) }
  }

  /// Returns the table with what another one says where that says anything.
  func updated(with news: PathTable) -> PathTable {
    if news.isEmpty { return self }
    if isEmpty { return news }
    var table = PathTable()
    forEachPair(with: news) { path, old, new in
      if let value = new ?? old { table.append(value, at: path) }
    }
    return table
  }

  func mapValues<Other>(_ transform: (Value) -> Other) -> PathTable<Other> {
    var table = PathTable<Other>()
    (table.paths, table.values) = (paths, values.map(transform))
    return table
  }
}

extension PathTable: RandomAccessCollection {
  typealias Element = (path: RelativePath, value: Value)

  var startIndex: Int { 0 }
  var endIndex: Int { paths.count }

  subscript(place: Int) -> Element { (paths[place], values[place]) }
}

extension PathTable: Equatable where Value: Equatable {}
extension PathTable: Sendable where Value: Sendable {}
