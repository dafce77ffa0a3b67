import Automerge

/// The keys of some documents by number: documents that are merged have most of their keys in common.
///
/// Lists of numbers are in the order of their keys, as documents have them, so that they and documents
/// are gone through side by side. Of a document with few keys among very many each is searched for.
struct KeyTable: Sendable {
  private var bytes: [UInt8] = []
  /// Per number, where its key lies in `bytes`.
  private var ranges: [Range<Int>] = []
  private var ascending: [UInt32] = []

  /// Returns the numbers of the keys of a root that readers see.
  mutating func visibleKeys(of document: DocumentState) -> [UInt32] {
    var visible: [UInt32] = []
    var place = 0
    let pool = document.pool
    document.forEachKey(of: .root) { name, group in
      guard document.isVisible(group) else { return }
      place = self.place(from: place, of: name, in: pool)
      if place == ascending.count || compare(ascending[place], to: pool, name) != 0 {
        ascending.insert(UInt32(ranges.count), at: place)
        ranges.append(bytes.count..<bytes.count + name.count)
        bytes.append(contentsOf: pool[name])
      }
      visible.append(ascending[place])
      place += 1
    }
    return visible
  }

  /// Returns the first place from `start` on whose key does not come before another: in steps that
  /// double, then by halves.
  private func place(from start: Int, of name: Range<Int>, in pool: [UInt8]) -> Int {
    var (low, step) = (start, 1)
    while low + step <= ascending.count, compare(ascending[low + step - 1], to: pool, name) < 0 {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, ascending.count)
    while low < high {
      let middle = low + (high - low) / 2
      if compare(ascending[middle], to: pool, name) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether the root of a document has each of some keys, and in every one what is asked for.
  func haveAll(
    _ keys: [UInt32], in document: DocumentState, _ isSought: (ValueGroup) -> Bool
  ) -> Bool {
    if keys.count < ranges.count / 8 {
      return keys.allSatisfy { number in
        document.group(of: .root, key: Array(bytes[ranges[Int(number)]])).map(isSought) ?? false
      }
    }
    var left = keys[...]
    var isMissing = false
    let pool = document.pool
    document.forEachKey(of: .root) { name, group in
      guard !isMissing, let key = left.first else { return }
      let order = compare(key, to: pool, name)
      if order > 0 { return }
      left.removeFirst()
      isMissing = order < 0 || !isSought(group)
    }
    return !isMissing && left.isEmpty
  }

  private func compare(_ number: UInt32, to pool: [UInt8], _ name: Range<Int>) -> Int {
    bytes.compare(ranges[Int(number)], to: pool, name)
  }
}
