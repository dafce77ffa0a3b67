import SafeFiles

/// Files that look alike and lie near each other: those of one kind.
struct FileGroup {
  /// Their numbers, ascending.
  var files: [Int]
  /// The directory below which all of them lie, as far as that tells groups apart.
  let scope: [UInt8]
  var shape: FileShape
  /// Why the files of other groups are among them, if they are.
  var isMerged = false

  /// Takes in another group, of which no pattern tells the files: what is in each is one entity then.
  mutating func merge(_ other: FileGroup) {
    files = (files + other.files).sorted()
    shape.formUnion(other.shape)
    if shape.container != other.shape.container { shape.container = nil }
    isMerged = true
  }
}

/// Finds patterns that match the files of groups, those of one group each.
struct PatternFinder {
  private let paths: [RelativePath]
  /// The groups with a pattern, and the patterns.
  private(set) var found: [(group: FileGroup, patterns: [PathPattern])] = []
  /// The groups whose names no pattern can say.
  private(set) var unsaid: [FileGroup] = []

  init(_ paths: [RelativePath]) { self.paths = paths }

  /// Finds the patterns of all groups; those that cannot be told apart become one.
  mutating func find(_ groups: [FileGroup]) {
    var rest = groups.map { (group: $0, general: general(of: $0)) }
    // A file of its own comes first, and what there is most of last.
    rest.sort {
      $0.group.files.count == $1.group.files.count
        ? $0.group.files[0] > $1.group.files[0] : $0.group.files.count > $1.group.files.count
    }
    while let (group, general) = rest.popLast() {
      // Where the names of two groups look the same, each has to say how its own begin.
      let isShared = (rest.map(\.general) + found.map { self.general(of: $0.group) })
        .contains(general)
      let candidates = candidates(for: group, isShared ? nil : general)
      if let patterns = candidates.first(where: { isFree($0) }) {
        found.append((group, patterns))
        continue
      }
      // Each round takes a group away, so there is a last one.
      let taken = candidates.first.flatMap { patterns in
        found.firstIndex {
          $0.patterns.contains { other in patterns.contains(where: other.overlaps) }
        }
      }
      guard let taken else {
        unsaid.append(group)
        continue
      }
      var merged = group
      merged.merge(found.remove(at: taken).group)
      rest.append((merged, self.general(of: merged)))
    }
  }

  private func isFree(_ patterns: [PathPattern]) -> Bool {
    found.allSatisfy { other in
      other.patterns.allSatisfy { pattern in !patterns.contains(where: pattern.overlaps) }
    }
  }

  // MARK: Candidates

  /// The patterns of a group, the most general ones first; each matches all of its files. Without the
  /// general one there is one that says how names begin.
  private func candidates(for group: FileGroup, _ general: [UInt8]?) -> [[PathPattern]] {
    let paths = group.files.map { self.paths[$0] }
    let narrow = Self.narrow(paths.map { $0.components.map(\.bytes) })
    var texts = [[general ?? narrow]]
    if general != nil, paths.count > 1 {
      texts.append([narrow])
      if paths.count <= Profile.largestPathCount { texts.append(paths.map(\.bytes)) }
    }
    return texts.compactMap { texts in
      var patterns: [PathPattern] = []
      for text in texts {
        // A name with a brace has no pattern, and one that is no text no place in a profile.
        guard String(validating: text, as: UTF8.self) != nil, let pattern = try? PathPattern(text)
        else { return nil }
        patterns.append(pattern)
      }
      let matchesAll = paths.allSatisfy { path in
        patterns.contains { $0.match(path.bytes.span) != nil }
      }
      return matchesAll ? patterns : nil
    }
  }

  private static let slash = UInt8(ascii: "/")
  private static let month = (year: Array("{year}".utf8), month: Array("{month}".utf8))

  /// One pattern: directories by depth, months where all paths say one, and any name.
  private func general(of group: FileGroup) -> [UInt8] {
    let paths = group.files.map { self.paths[$0].components.map(\.bytes) }
    let names = paths.compactMap(\.last)
    // A file with an identity of its own is one of many, also where there are no others yet.
    let isOne = paths.count == 1 && !(group.shape.isIdentified && paths[0].count > 1)
    let areSame = paths.count > 1 && names.allSatisfy { $0 == names[0] }
    let hasMonths = names.allSatisfy { Month(prefixOf: $0.span) != nil }
    let name =
      hasMonths
      ? Self.month.year + [UInt8(ascii: "-")] + Self.month.month
        + Self.behindMonth(names.map { Array($0.dropFirst(7)) })
      : isOne || areSame ? names[0] : [UInt8(ascii: "*")] + Self.suffix(names)
    return Array(
      (Self.directories(paths, isMonthKnown: hasMonths) + [name]).joined(separator: [Self.slash]))
  }

  /// What follows a month: an extension, or what all begin with and anything.
  private static func behindMonth(_ texts: [[UInt8]]) -> [UInt8] {
    guard let first = texts[0].first else { return [] }
    if first == UInt8(ascii: "."), texts.allSatisfy({ $0 == texts[0] }) { return texts[0] }
    let isSame = !isDigit(first) && texts.allSatisfy { $0.first == first }
    let head = isSame && first != UInt8(ascii: ".") ? [first] : []
    return head + [UInt8(ascii: "*")] + suffix(texts.map { Array($0.dropFirst(head.count)) })
  }

  /// One pattern that says how all names begin.
  private static func narrow(_ paths: [[[UInt8]]]) -> [UInt8] {
    let names = paths.compactMap(\.last)
    return Array(
      (directories(paths, isMonthKnown: true) + [wildcard(names)]).joined(separator: [slash]))
  }

  private static func directories(_ paths: [[[UInt8]]], isMonthKnown: Bool) -> [[UInt8]] {
    let directories = paths.map { Array($0.dropLast()) }
    let first = directories[0]
    guard directories.allSatisfy({ $0.count == first.count }) else {
      var common = 0
      while directories.allSatisfy({ common < $0.count && $0[common] == first[common] }) {
        common += 1
      }
      return first[..<common] + [Array("**".utf8)]
    }
    var parts = first.indices.map { index in
      let isSame = directories.allSatisfy { $0[index] == first[index] }
      return isSame && !first[index].allSatisfy(isDigit) ? first[index] : [UInt8(ascii: "*")]
    }
    for index in first.indices.dropLast() where !isMonthKnown {
      let areMonths = directories.allSatisfy {
        $0[index].count == 4 && $0[index + 1].count == 2
          && Month(prefixOf: ($0[index] + [UInt8(ascii: "-")] + $0[index + 1]).span) != nil
      }
      guard areMonths else { continue }
      parts[index] = month.year
      parts[index + 1] = month.month
      break
    }
    return parts
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// How all begin and end, with `*` between; one text if they are all the same.
  private static func wildcard(_ texts: [[UInt8]]) -> [UInt8] {
    if texts.allSatisfy({ $0 == texts[0] }) { return texts[0] }
    var prefix = 0
    while texts.allSatisfy({ prefix < $0.count && $0[prefix] == texts[0][prefix] }) { prefix += 1 }
    // Digits that all have are those of a number.
    while prefix > 0, isDigit(texts[0][prefix - 1]) { prefix -= 1 }
    let rests = texts.map { Array($0.dropFirst(prefix)) }
    return texts[0][..<prefix] + [UInt8(ascii: "*")] + suffix(rests)
  }

  /// The extension that all have.
  private static func suffix(_ names: [[UInt8]]) -> [UInt8] {
    let dot = names[0].lastIndex(of: UInt8(ascii: ".")) ?? names[0].endIndex
    let suffix = Array(names[0][dot...])
    return names.allSatisfy {
      $0.count >= suffix.count && $0.suffix(suffix.count).elementsEqual(suffix)
    }
      ? suffix : []
  }
}
