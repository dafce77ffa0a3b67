/// The forms in which sync services put a conflict into a name, as one table for the end of the
/// whole name, one for the end of the stem and one for what stands in parentheses.
enum ConflictCopyPattern {
  /// A name without its last part.
  struct Part {
    var base: [UInt8]
    var service: SyncService
    var strength: ConflictCopyName.Strength
  }

  /// A form: takes its part off the end of a name and says whether it was there.
  private typealias Form = (
    service: SyncService, strength: ConflictCopyName.Strength,
    take: @Sendable (inout NameTail) -> Bool
  )

  /// Which forms a part can have.
  enum Forms {
    case all
    /// Only that of a host.
    case hosts
  }

  /// Returns the name without its last part, by every form that fits; the first certain one ends it.
  static func parts(of name: [UInt8], _ forms: Forms = .all) -> [Part] {
    let stem = NameTail(name).stem
    let fileExtension = name[stem.endIndex...]
    if forms == .all {
      if let part = part(of: ArraySlice(name), extension: [], wholeNameForms) { return [part] }
      if let part = part(of: stem, extension: fileExtension, stemForms) { return [part] }
      if let part = parenthesized(stem, fileExtension) { return [part] }
    }
    return hosts(stem).map {
      Part(base: Array($0) + fileExtension, service: .oneDrive, strength: .weak)
    }
  }

  private static func part(
    of name: ArraySlice<UInt8>, extension fileExtension: ArraySlice<UInt8>, _ forms: [Form]
  ) -> Part? {
    for form in forms {
      var tail = NameTail(name)
      guard form.take(&tail), !tail.rest.isEmpty else { continue }
      return Part(
        base: Array(tail.rest) + fileExtension, service: form.service, strength: form.strength)
    }
    return nil
  }

  // MARK: After the extension

  private static let wholeNameForms: [Form] = [
    (.rclone, .strong, { $0.takeDigits(1...6) && $0.take(".conflict") && $0.endsWithExtension }),
    (.rclone, .strong, { $0.takeDigits(1...6) && $0.take("..path") }),
    (
      .seafile, .strong,
      { tail in
        guard let inside = tail.takeGroup("(", ")"), tail.take(" ") else { return false }
        return folded(inside).starts(with: "sfconflict ".utf8) && tail.endsWithExtension
      }
    ),
  ]

  // MARK: At the end of the stem

  private static let stemForms: [Form] = [
    (
      .syncthing, .strong,
      { tail in
        // Older versions name no device.
        var device = tail
        if device.take(7...7, of: isBase32), device.take("-") { tail = device }
        return tail.takeDigits(6...6) && tail.take("-") && tail.takeDigits(8...8)
          && tail.take(".sync-conflict-")
      }
    ),
    (
      .ownCloud, .strong,
      { $0.takeDigits(6...6) && $0.take("-") && $0.takeDigits(8...8) && $0.take("_conflict-") }
    ),
    (
      .oneDrive, .strong,
      { tail in
        guard tail.takeDigits(4...4), tail.take("-safebackup-") else { return false }
        // As its host may hold hyphens, so may the name; the last hyphen is in front of the host.
        return tail.take(1...255) { $0 != UInt8(ascii: "-") } && tail.take("-")
      }
    ),
    (.synology, .strong, { takeSynology(&$0) }),
    (
      .resilio, .strong,
      { tail in
        _ = tail.takeDigits(1...6)
        return tail.take(".conflict")
      }
    ),
    (
      .googleDrive, .strong,
      { tail in
        guard let inside = tail.takeGroup("(", ")"), tail.take("_conf") else { return false }
        return isNumber(inside)
      }
    ),
    (
      .pCloud, .strong,
      { tail in
        guard let inside = tail.takeGroup("[", "]") else { return false }
        _ = tail.take(" ")
        return isWord("conflicted", withNumber: inside)
      }
    ),
    (
      .googleDrive, .strong,
      { tail in
        guard let inside = tail.takeGroup("[", "]") else { return false }
        _ = tail.take(" ")
        return isWord("conflict", withNumber: inside)
      }
    ),
    (.iCloud, .weak, { $0.takeNumber(2...999) && $0.take(" ") }),
  ]

  /// `_CLIENT_Jan-03-0901-2013_CaseConflict_1`
  private static func takeSynology(_ tail: inout NameTail) -> Bool {
    var counter = tail
    if counter.takeDigits(1...6), counter.take("_") { tail = counter }
    guard tail.take("conflict") else { return false }
    _ = tail.take(1...32) { NameText.lowerCase($0) &- UInt8(ascii: "a") < 26 }
    guard tail.take("_"), tail.takeDigits(4...4), tail.take("-"), tail.takeDigits(4...6),
      tail.take("-"), tail.takeDigits(2...2), tail.take("-")
    else { return false }
    let months: [StaticString] = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    guard months.contains(where: { tail.take($0) }), tail.take("_") else { return false }
    return tail.take(1...255) { $0 != UInt8(ascii: "_") } && tail.take("_")
  }

  /// Every name that a host may have been appended to: `-LAPTOP`, `-DESKTOP-4K2J`, `-LAPTOP-2`.
  private static func hosts(_ stem: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var names: [ArraySlice<UInt8>] = []
    for index in stem.indices.reversed() {
      guard isHostCharacter(stem[index]), stem.endIndex - index <= 68 else { break }
      guard stem[index] == UInt8(ascii: "-"), index > stem.startIndex else { continue }
      let host = stem[(index + 1)...]
      if host.count >= 3, host.first != UInt8(ascii: "-") { names.append(stem[..<index]) }
    }
    return names
  }

  // MARK: In parentheses

  private static func parenthesized(
    _ stem: ArraySlice<UInt8>, _ fileExtension: ArraySlice<UInt8>
  ) -> Part? {
    var tail = NameTail(stem)
    if let inside = tail.takeGroup("(", ")"), tail.take(" "), !tail.rest.isEmpty,
      let (service, strength) = meaning(of: inside)
    {
      return Part(base: Array(tail.rest) + fileExtension, service: service, strength: strength)
    }
    guard let start = startOfConflictWord(stem) else { return nil }
    return Part(base: Array(stem[..<start]) + fileExtension, service: .unknown, strength: .weak)
  }

  /// What stands at the start of the parentheses.
  private static let openings: [(StaticString, SyncService)] = [
    ("copie en conflit", .dropbox), ("copia en conflicto", .dropbox),
    ("copia conflictiva", .dropbox), ("copia in conflitto", .dropbox),
    ("copia em conflito", .dropbox), ("case conflict", .dropbox),
    ("selective sync conflict", .dropbox), ("unicode encoding conflict", .dropbox),
    ("whitespace conflict", .dropbox), ("case clash from ", .nextcloud),
    ("sfconflict ", .seafile),
  ]

  private static func meaning(
    of inside: ArraySlice<UInt8>
  ) -> (SyncService, ConflictCopyName.Strength)? {
    if isNumber(inside) { return (.googleDrive, .weak) }
    let text = folded(inside)
    for (opening, service) in openings where text.starts(with: opening.description.utf8) {
      return (service, .strong)
    }
    if contains(text, "in konflikt stehende kopie") { return (.dropbox, .strong) }
    if contains(text, "'s conflict on ") { return (.ctera, .strong) }
    if text.starts(with: "edits by ".utf8), contains(text, " not merged ") {
      return (.ctera, .strong)
    }
    guard let copy = range(of: "conflicted copy", in: text) else { return nil }
    guard copy.lowerBound == 0 || text[..<copy.lowerBound].suffix(3).elementsEqual("'s ".utf8)
    else { return nil }
    var date = NameTail(text[copy.upperBound...])
    if date.rest.isEmpty { return (.dropbox, .strong) }
    if date.takeDigits(6...6), date.take(" "), date.takeDate() { return (.nextcloud, .strong) }
    // Services put date, user and counter in any order.
    return text[copy.upperBound] == UInt8(ascii: " ") ? (.dropbox, .strong) : nil
  }

  /// ` (conflict ...)`, `-conflict...`, `_conflict`: the word behind a separator, and no further
  /// parentheses behind it.
  private static func startOfConflictWord(_ stem: ArraySlice<UInt8>) -> ArraySlice<UInt8>.Index? {
    let text = folded(stem)
    guard text.count == stem.count else { return nil }
    for word: StaticString in ["conflict", "konflikt", "conflit", "conflito"] {
      guard let found = range(of: word, in: text), found.lowerBound > 0 else { continue }
      var start = found.lowerBound - 1
      guard [UInt8](" -_(".utf8).contains(text[start]) else { continue }
      var after = text[found.upperBound...]
      if text[start] == UInt8(ascii: "("), after.last == UInt8(ascii: ")") { after.removeLast() }
      guard !after.contains(UInt8(ascii: "(")), !after.contains(UInt8(ascii: ")")) else { continue }
      if start > 0, text[start - 1] == UInt8(ascii: " ") { start -= 1 }
      if start > 0 { return stem.startIndex + start }
    }
    return nil
  }

  // MARK: Text

  /// The text in lower case, without the accent on an o and with straight apostrophes, however the
  /// file system composes them.
  private static func folded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...]
      if let (spelling, plain) = foldings.first(where: { rest.starts(with: $0.0) }) {
        output += plain
        index += spelling.count
      } else {
        output.append(NameText.lowerCase(text[index]))
        index += 1
      }
    }
    return output
  }

  private static let foldings: [([UInt8], [UInt8])] = [
    (Array("\u{f3}".utf8), Array("o".utf8)), (Array("\u{d3}".utf8), Array("o".utf8)),
    (Array("\u{301}".utf8), []), (Array("\u{2019}".utf8), Array("'".utf8)),
  ]

  private static func range(of word: StaticString, in text: [UInt8]) -> Range<Int>? {
    let word = Array(word.description.utf8)
    guard text.count >= word.count else { return nil }
    return (0...(text.count - word.count)).last { text[$0...].starts(with: word) }
      .map { $0..<$0 + word.count }
  }

  private static func contains(_ text: [UInt8], _ word: StaticString) -> Bool {
    range(of: word, in: text) != nil
  }

  /// A number from 1 to 999 and nothing else.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var tail = NameTail(text)
    return tail.takeNumber(1...999) && tail.rest.isEmpty
  }

  /// `WORD`, `WORD 1`, `WORD(1)` or `WORD (1)`.
  private static func isWord(_ word: StaticString, withNumber text: ArraySlice<UInt8>) -> Bool {
    var tail = NameTail(text)
    let hasBracket = tail.take(")")
    if tail.takeDigits(1...6) {
      if hasBracket, !tail.take("(") { return false }
      _ = tail.take(" ")
    }
    return tail.take(word) && tail.rest.isEmpty
  }

  private static func isBase32(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "A") < 26 || byte &- UInt8(ascii: "2") < 6
  }

  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    NameText.lowerCase(byte) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
      || byte == UInt8(ascii: "-")
  }
}

extension NameTail {
  /// Whether what is left still has an extension.
  fileprivate var endsWithExtension: Bool { stem.count < rest.count }

  /// Takes off `YYYY-MM-DD`.
  fileprivate mutating func takeDate() -> Bool {
    takeDigits(2...2) && take("-") && takeDigits(2...2) && take("-") && takeDigits(4...4)
  }
}
