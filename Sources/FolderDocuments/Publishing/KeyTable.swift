import Automerge

/// The keys of some documents by number: documents that are merged have most of their keys in common.
///
/// Lists of numbers are in the order of their keys, as documents have them, so that they and documents
/// are gone through side by side, without a search.
struct KeyTable: Sendable {
  private var bytes: [UInt8] = []
  /// Per number, where its key lies in `bytes`.
  private var ranges: [Range<Int>] = []
  private var ascending: [UInt32] = []

  /// Returns the numbers of the keys of a root that readers see.
  mutating func visibleKeys(of document: DocumentState) -> [UInt32] {
    var visible: [UInt32] = []
    var known = ascending[...]
    var all: [UInt32] = []
    all.reserveCapacity(ascending.count)
    let pool = document.pool
    document.forEachKey(of: .root) { name, group in
      guard document.isVisible(group) else { return }
      var order = -1
      while order < 0, let number = known.first {
        order = compare(number, to: pool, name)
        if order > 0 { break }
        all.append(number)
        known.removeFirst()
        if order == 0 { visible.append(number) }
      }
      if order == 0 { return }
      let number = UInt32(ranges.count)
      ranges.append(bytes.count..<bytes.count + name.count)
      bytes.append(contentsOf: pool[name])
      all.append(number)
      visible.append(number)
    }
    all.append(contentsOf: known)
    ascending = all
    return visible
  }

  /// Whether the root of a document has each of some keys, and in every one what is asked for.
  func haveAll(
    _ keys: [UInt32], in document: DocumentState, _ isSought: (ValueGroup) -> Bool
  ) -> Bool {
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
