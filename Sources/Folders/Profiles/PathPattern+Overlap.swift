// Whether two patterns have a path in common, exactly: the time is that of one length times the other.
extension PathPattern {
  /// Returns whether a path could match both.
  package func overlaps(_ other: PathPattern) -> Bool {
    // A month is 01 to 09 or 10 to 12, which no two ranges of digits say at once.
    let others = other.alternatives
    return alternatives.contains { mine in others.contains { Self.overlap(mine, $0) } }
  }

  /// The pattern with small letters only: what it matches on file systems that ignore case, ASCII's.
  var ignoringCase: PathPattern {
    let parts = parts.map { part -> Part in
      guard case .name(let atoms) = part else { return part }
      return .name(
        atoms.map { atom in
          guard case .byte(let range) = atom, range.count == 1 else { return atom }
          let byte = range.lowerBound
          let isCapital = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
          return .byte(isCapital ? (byte | 0x20)...(byte | 0x20) : range)
        })
    }
    return PathPattern(text: text, parts: parts, captures: captures)
  }

  /// The parts, once for each first digit of a month.
  private var alternatives: [[Part]] {
    guard let month = captures?.month, case .name(let atoms) = parts[month.part] else {
      return [parts]
    }
    let digits: [(UInt8, ClosedRange<UInt8>)] = [
      (UInt8(ascii: "0"), UInt8(ascii: "1")...UInt8(ascii: "9")),
      (UInt8(ascii: "1"), UInt8(ascii: "0")...UInt8(ascii: "2")),
    ]
    return digits.map { tens, ones in
      var atoms = atoms
      atoms[month.atom] = .byte(tens...tens)
      atoms[month.atom + 1] = .byte(ones)
      var parts = parts
      parts[month.part] = .name(atoms)
      return parts
    }
  }

  /// A row of cells says which parts of the right one can be next, one row for each part of the left.
  /// `**` stays where it is for a part of the other, or is passed; every part of a pattern has a name
  /// that matches it.
  private static func overlap(_ left: [Part], _ right: [Part]) -> Bool {
    var next = Array(repeating: false, count: right.count + 1)
    var row = next
    row[0] = true
    for index in 0...left.count {
      next = Array(repeating: false, count: right.count + 1)
      for other in 0...right.count where row[other] {
        let mine = index < left.count ? left[index] : nil
        let its = other < right.count ? right[other] : nil
        if its == .anyParts { row[other + 1] = true }
        if mine == .anyParts { next[other] = true }
        switch (mine, its) {
        case (.name(let mine), .name(let its)):
          if haveNameInCommon(mine, its) { next[other + 1] = true }
        case (.name, .anyParts): next[other] = true
        case (.anyParts, .name): row[other + 1] = true
        default: break
        }
      }
      if index < left.count { row = next }
    }
    return row[right.count]
  }

  /// As above, byte by byte. A name has a byte at least, and the first one is no dot.
  private static func haveNameInCommon(_ left: [Atom], _ right: [Atom]) -> Bool {
    let empty: [Progress] = Array(repeating: [], count: right.count + 1)
    var row = empty
    row[0] = .atStart
    for index in 0...left.count {
      var next = empty
      for other in 0...right.count where !row[other].isEmpty {
        let mine = index < left.count ? left[index] : nil
        let its = other < right.count ? right[other] : nil
        if mine == .anyRun, its == .anyRun { row[other].insert(.inside) }
        if mine == .anyRun { next[other].formUnion(row[other]) }
        if its == .anyRun { row[other + 1].formUnion(row[other]) }
        switch (mine, its) {
        case (.byte(let mine), .byte(let its)) where mine.overlaps(its):
          next[other + 1].formUnion(row[other].after(mine.clamped(to: its)))
        case (.byte(let range), .anyRun): next[other].formUnion(row[other].after(range))
        case (.anyRun, .byte(let range)): row[other + 1].formUnion(row[other].after(range))
        default: break
        }
      }
      if index < left.count { row = next }
    }
    return row[right.count].contains(.inside)
  }

  /// Whether a name may have no byte yet, or may have one.
  private struct Progress: OptionSet {
    let rawValue: UInt8
    static let atStart = Progress(rawValue: 1)
    static let inside = Progress(rawValue: 2)

    /// What it is after a byte of a range.
    func after(_ range: ClosedRange<UInt8>) -> Progress {
      let dot = UInt8(ascii: ".")
      return contains(.inside) || (contains(.atStart) && range != dot...dot) ? .inside : []
    }
  }
}
