import SafeFiles

/// A pattern of the paths of files below a folder, which are compared byte by byte.
///
/// - `*` is any run of bytes inside one part of the path, an empty one included
/// - `**` is any number of whole parts, none included; once, and never the last part
/// - `{year}` and `{month}` are four and two digits, 01 to 12; both or neither
///
/// Everything else means itself. No part of a path that matches begins with a dot: such names are
/// nobody's data. Where a capture stands does not depend on how much a `*` takes: in its part there is
/// none before it, or none behind it.
package struct PathPattern: Hashable, Sendable {
  /// How a path matches.
  package struct Match: Hashable, Sendable {
    /// What `{year}` and `{month}` stand for; nil in a pattern without them.
    package let month: Month?
  }

  /// A piece of a part.
  enum Atom: Hashable, Sendable {
    /// One byte of a range.
    case byte(ClosedRange<UInt8>)
    /// Any run of bytes.
    case anyRun
  }

  /// What stands between two slashes.
  enum Part: Hashable, Sendable {
    case name([Atom])
    case anyParts
  }

  /// Where a capture begins.
  struct Capture: Hashable, Sendable {
    var part: Int
    var atom: Int
  }

  /// The longest pattern.
  package static let largestByteCount = 512

  /// The pattern as it is written.
  package let text: [UInt8]
  let parts: [Part]
  /// Where `{year}` and `{month}` are; nil in a pattern without them.
  let captures: (year: Capture, month: Capture)?
  /// How many bytes at the start mean themselves: what begins otherwise does not match.
  private let literalCount: Int

  /// Whether a path that matches says a month.
  package var hasMonth: Bool { captures != nil }
  /// Whether one path at most matches.
  package var isOnePath: Bool { !hasMonth && !hasWildcard }
  /// Whether `*` or `**` is in it.
  package var hasWildcard: Bool {
    parts.contains { part in
      if case .name(let atoms) = part { atoms.contains(.anyRun) } else { true }
    }
  }

  /// Parses a pattern.
  package init(_ text: [UInt8]) throws(PathDefect) {
    var parser = PathPatternParser()
    try parser.parse(text)
    self.text = text
    parts = parser.parts
    captures = parser.captures
    literalCount = Self.literalCount(of: text)
  }

  /// For a pattern made of another.
  init(text: [UInt8], parts: [Part], captures: (year: Capture, month: Capture)?) {
    self.text = text
    self.parts = parts
    self.captures = captures
    literalCount = Self.literalCount(of: text)
  }

  private static func literalCount(of text: [UInt8]) -> Int {
    text.firstIndex { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "{") } ?? text.count
  }

  /// Whether a path that matches may begin with a name.
  package func mayBegin(with name: Span<UInt8>) -> Bool {
    switch parts.first {
    case .name(let atoms): Self.matches(name, atoms)
    case .anyParts, nil: true
    }
  }

  /// Returns how a path matches; nil if it does not.
  ///
  /// The time is at most that of the path's length times the pattern's.
  package func match(_ path: Span<UInt8>) -> Match? {
    guard path.count >= literalCount else { return nil }
    for index in 0..<literalCount where path[index] != text[index] { return nil }
    let names = Self.parts(of: path)
    guard names.allSatisfy({ !$0.isEmpty && path[$0.lowerBound] != UInt8(ascii: ".") }) else {
      return nil
    }
    let front = parts.firstIndex(of: .anyParts)
    guard front == nil ? names.count == parts.count : names.count >= parts.count - 1 else {
      return nil
    }
    for (index, part) in parts.enumerated() {
      guard case .name(let atoms) = part else { continue }
      let name = names[Self.place(of: index, in: parts[...], among: names.count)]
      guard Self.matches(path.extracting(name), atoms) else { return nil }
    }
    guard let captures else { return Match(month: nil) }
    let year = number(captures.year, in: path, names, digits: 4)
    guard let month = Month(year: year, month: number(captures.month, in: path, names, digits: 2))
    else { return nil }
    return Match(month: month)
  }

  /// What follows `**` is counted from the end of the path.
  static func place(of part: Int, in parts: ArraySlice<Part>, among count: Int) -> Int {
    guard let front = parts.firstIndex(of: .anyParts), part > front else { return part }
    return count - (parts.endIndex - part)
  }

  private func number(
    _ capture: Capture, in path: Span<UInt8>, _ names: [Range<Int>], digits: Int
  ) -> Int {
    guard case .name(let atoms) = parts[capture.part] else { return 0 }
    let name = names[Self.place(of: capture.part, in: parts[...], among: names.count)]
    let start =
      atoms[..<capture.atom].contains(.anyRun)
      ? name.upperBound - (atoms.count - capture.atom) : name.lowerBound + capture.atom
    return NameText.number(path, start..<start + digits) ?? 0
  }

  private static func parts(of path: Span<UInt8>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    for position in 0...path.count
    where position == path.count || path[position] == UInt8(ascii: "/") {
      parts.append(start..<position)
      start = position + 1
    }
    return parts
  }

  /// A `*` that took too little takes one byte more; those before the last one need not.
  static func matches(_ name: Span<UInt8>, _ atoms: [Atom]) -> Bool {
    var position = 0
    var atom = 0
    var lastRun: (atom: Int, position: Int)?
    while position < name.count {
      if atom < atoms.count, case .byte(let range) = atoms[atom], range ~= name[position] {
        position += 1
        atom += 1
      } else if atom < atoms.count, atoms[atom] == .anyRun {
        lastRun = (atom, position)
        atom += 1
      } else if let run = lastRun {
        lastRun = (run.atom, run.position + 1)
        position = run.position + 1
        atom = run.atom + 1
      } else {
        return false
      }
    }
    return atoms[atom...].allSatisfy { $0 == .anyRun }
  }

  package static func == (left: PathPattern, right: PathPattern) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Month {
  /// Returns a pattern, or a part of one, with this month where `{year}` and `{month}` stand.
  package func filling(_ pattern: [UInt8]) -> [UInt8] {
    var filled: [UInt8] = []
    var rest = pattern[...]
    while let byte = rest.first {
      if rest.starts(with: "{year}".utf8) {
        filled += yearName.utf8
        rest = rest.dropFirst("{year}".utf8.count)
      } else if rest.starts(with: "{month}".utf8) {
        filled += monthName.utf8
        rest = rest.dropFirst("{month}".utf8.count)
      } else {
        filled.append(byte)
        rest = rest.dropFirst()
      }
    }
    return filled
  }
}

extension PathPattern: CustomStringConvertible {
  /// The pattern as it is written.
  package var description: String { String(decoding: text, as: UTF8.self) }
}

/// Why a text is no pattern or template of a path.
package enum PathDefect: Error, Hashable, Sendable {
  case empty, tooLong, absolute, emptyPart, zeroByte, ownState, hidden
  /// A part is `.` or `..`.
  case leavesFolder
  /// `**` beside other bytes, for the second time, or at the end.
  case anyPartsInPart, anyPartsTwice, anyPartsLast
  /// A brace that is not part of `{year}` or `{month}`.
  case brace
  /// A capture stands there twice, without the other, or between two `*`.
  case captureTwice, captureAlone, captureBetweenRuns
  /// A template with `*`.
  case wildcard
  /// A document without `.automerge`, or with bytes that not every system has in names.
  case documentExtension, notPortable
}

/// Takes a pattern apart.
private struct PathPatternParser {
  var parts: [PathPattern.Part] = []
  private var year: PathPattern.Capture?
  private var month: PathPattern.Capture?

  var captures: (year: PathPattern.Capture, month: PathPattern.Capture)? {
    if let year, let month { (year, month) } else { nil }
  }

  mutating func parse(_ text: [UInt8]) throws(PathDefect) {
    if text.isEmpty { throw .empty }
    if text.count > PathPattern.largestByteCount { throw .tooLong }
    if text.contains(0) { throw .zeroByte }
    if text[0] == UInt8(ascii: "/") { throw .absolute }
    for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      try parse(part: part)
    }
    if parts.last == .anyParts { throw .anyPartsLast }
    if (year == nil) != (month == nil) { throw .captureAlone }
    for capture in [year, month] {
      guard let capture, case .name(let atoms) = parts[capture.part] else { continue }
      if atoms[..<capture.atom].contains(.anyRun), atoms[capture.atom...].contains(.anyRun) {
        throw .captureBetweenRuns
      }
    }
  }

  private mutating func parse(part: ArraySlice<UInt8>) throws(PathDefect) {
    let dot = UInt8(ascii: ".")
    if part.isEmpty { throw .emptyPart }
    if part.elementsEqual([dot]) || part.elementsEqual([dot, dot]) { throw .leavesFolder }
    if part.elementsEqual(FolderNames.state.bytes) { throw .ownState }
    if part.first == dot { throw .hidden }
    if part.elementsEqual("**".utf8) {
      if parts.contains(.anyParts) { throw .anyPartsTwice }
      return parts.append(.anyParts)
    }
    var atoms: [PathPattern.Atom] = []
    var rest = part
    while let byte = rest.first {
      if rest.starts(with: "{year}".utf8) {
        if year != nil { throw .captureTwice }
        year = PathPattern.Capture(part: parts.count, atom: atoms.count)
        for _ in 0..<4 { atoms.append(.byte(UInt8(ascii: "0")...UInt8(ascii: "9"))) }
        rest = rest.dropFirst(6)
        continue
      }
      if rest.starts(with: "{month}".utf8) {
        if month != nil { throw .captureTwice }
        month = PathPattern.Capture(part: parts.count, atom: atoms.count)
        for last in [UInt8(ascii: "1"), UInt8(ascii: "9")] {
          atoms.append(.byte(UInt8(ascii: "0")...last))
        }
        rest = rest.dropFirst(7)
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "}"): throw .brace
      case UInt8(ascii: "*"):
        if atoms.last == .anyRun { throw .anyPartsInPart }
        atoms.append(.anyRun)
      default: atoms.append(.byte(byte...byte))
      }
      rest = rest.dropFirst()
    }
    parts.append(.name(atoms))
  }
}
