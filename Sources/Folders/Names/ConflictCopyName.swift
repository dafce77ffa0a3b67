/// What the name of a file says if a sync service made it because of a conflict.
///
/// A name only proposes: whatever it says, files are judged by their content.
package struct ConflictCopyName: Hashable, Sendable {
  /// How much a name says.
  package enum Strength: Hashable, Sendable {
    /// People and programs make such names, too: nothing follows without a base of related content.
    case weak
    /// Nobody but a sync service makes such names.
    case strong
  }

  /// The whole name of the file it would be a copy of.
  package let base: [UInt8]
  /// Who makes such names; of several the one whose part is at the end.
  package let service: SyncService
  /// Strong only if every part that was taken off is.
  package let strength: Strength

  /// How many parts are taken off a name, and how many readings it may have.
  private static let most = (depth: 16, readings: 64)

  /// Returns every way to read a name as that of a conflict copy.
  ///
  /// Parts are taken off the end one after another, as a copy may have been copied again: the first
  /// readings take off one part, the last ones all that can be. Names without `-HOST` have at most
  /// one reading for each part; there every hyphen may be the one in front of the host.
  package static func readings(of name: Span<UInt8>) -> [ConflictCopyName] {
    guard let forms = forms(in: name), !IgnoredName.matches(name) else { return [] }
    let whole = ConflictCopyName(base: Array(name), service: .unknown, strength: .strong)
    var readings: [ConflictCopyName] = []
    var level = [whole]
    for depth in 0..<most.depth where !level.isEmpty {
      var next: [ConflictCopyName] = []
      for reading in level {
        for part in ConflictCopyPattern.parts(of: reading.base, forms) {
          next.append(
            ConflictCopyName(
              base: part.base, service: depth == 0 ? part.service : reading.service,
              strength: reading.strength == .strong ? part.strength : .weak))
        }
      }
      readings += next
      guard readings.count < most.readings else { return Array(readings.prefix(most.readings)) }
      level = next
    }
    return readings
  }

  /// Returns whether a name looks like a conflict copy, its extension included.
  ///
  /// `NAME-HOST` alone does not: half of all names with a hyphen look like that.
  package static func isLikely(_ name: Span<UInt8>) -> Bool {
    readings(of: name).contains { $0.service != .oneDrive || $0.strength == .strong }
  }

  /// What a name says at a glance about whether it is that of a conflict copy.
  package enum Glance {
    /// It is none.
    case none
    /// It is one if something has the name that is left without one of its hyphens and the rest of the
    /// stem: half of all names with a hyphen look like `NAME-HOST`, and hardly any is one.
    case ifAnyBase(stemLength: Int)
    /// It may be one, as its readings tell.
    case maybe
  }

  /// Looks at a name without reading it as a copy's.
  package static func glance(at name: Span<UInt8>) -> Glance {
    guard let forms = forms(in: name) else { return .none }
    // Names beyond ASCII have other spellings.
    guard forms == .hosts, !name.indices.contains(where: { name[$0] >= 0x80 }) else {
      return .maybe
    }
    let dot = name.indices.last { name[$0] == UInt8(ascii: ".") } ?? name.count
    return .ifAnyBase(stemLength: dot == 0 ? name.count : dot)
  }

  /// Replaces `base` by a name without what stands between a hyphen and its extension; tells whether
  /// there is one there.
  package static func replace(
    _ base: inout [UInt8], byStartOf name: Span<UInt8>, before hyphen: Int, stemLength: Int
  ) -> Bool {
    guard name[hyphen] == UInt8(ascii: "-") else { return false }
    base.removeAll(keepingCapacity: true)
    for index in 0..<hyphen { base.append(name[index]) }
    for index in stemLength..<name.count { base.append(name[index]) }
    return true
  }

  /// Returns which forms the parts of a name can have; nil if it is no copy's.
  ///
  /// Every part ends with a bracket, a digit or a word, and holds one of a few bytes: so most names
  /// of a large folder cost one look.
  private static func forms(in name: Span<UInt8>) -> ConflictCopyPattern.Forms? {
    let dot = UInt8(ascii: ".")
    var forms: ConflictCopyPattern.Forms?
    var index = 0
    while index < name.count {
      switch name[index] {
      case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: "["): return .all
      case UInt8(ascii: "-"):
        // `2024-01-15_093000.json`: what follows the last hyphen has an underscore.
        var end = index + 1
        while end < name.count, name[end] != UInt8(ascii: "_"), name[end] != dot {
          end += 1
        }
        if end == name.count || name[end] == dot { forms = .hosts }
      case UInt8(ascii: "f"), UInt8(ascii: "F"):
        // `conflict`, `conf(1)`, `konflikt`, `safeBackup`.
        let previous = index > 0 ? NameText.lowerCase(name[index - 1]) : 0
        if previous == UInt8(ascii: "n") || previous == UInt8(ascii: "a") { return .all }
      case UInt8(ascii: "p"), UInt8(ascii: "P"):
        // `..path1`, but not `.png`.
        if index > 1, name[index - 1] == dot, name[index - 2] == dot { return .all }
      default: break
      }
      index += 1
    }
    return forms
  }
}

/// The services and programs whose conflict copies are known by their names.
package enum SyncService: String, CaseIterable, Hashable, Sendable {
  case dropbox = "Dropbox"
  case iCloud = "iCloud Drive"
  case googleDrive = "Google Drive"
  case oneDrive = "OneDrive"
  case syncthing = "Syncthing"
  case nextcloud = "Nextcloud"
  case ownCloud = "ownCloud"
  case resilio = "Resilio Sync"
  case synology = "Synology Drive"
  case seafile = "Seafile"
  case pCloud = "pCloud"
  case rclone = "rclone"
  case ctera = "CTERA"
  /// Any other that puts a word for conflict into the name.
  case unknown = "a sync service"
}

/// The end of a name, taken off piece by piece from right to left.
///
/// Words are compared in any ASCII case. A piece that is not there leaves the rest as it was.
struct NameTail {
  /// What is left of the name.
  private(set) var rest: ArraySlice<UInt8>

  init(_ name: some Sequence<UInt8>) { rest = ArraySlice(name) }

  /// The rest without its last extension.
  var stem: ArraySlice<UInt8> {
    guard let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > rest.startIndex else {
      return rest
    }
    return rest[..<dot]
  }

  /// Takes off a text, which is in lower case.
  mutating func take(_ text: StaticString) -> Bool {
    let text = text.description.utf8
    let start = rest.endIndex - text.count
    guard start >= rest.startIndex else { return false }
    for (index, byte) in zip(start..., text) where NameText.lowerCase(rest[index]) != byte {
      return false
    }
    rest = rest[..<start]
    return true
  }

  /// Takes off a run of digits if it is as long as this.
  mutating func takeDigits(_ count: ClosedRange<Int>) -> Bool {
    take(count) { $0 &- UInt8(ascii: "0") < 10 }
  }

  /// Takes off a run of bytes if it is as long as this.
  mutating func take(_ count: ClosedRange<Int>, of isMember: (UInt8) -> Bool) -> Bool {
    var length = 0
    while length < rest.count, isMember(rest[rest.endIndex - 1 - length]) { length += 1 }
    guard count.contains(length) else { return false }
    rest.removeLast(length)
    return true
  }

  /// Takes off a number without zeros in front.
  mutating func takeNumber(_ range: ClosedRange<Int>) -> Bool {
    var tail = self
    guard tail.takeDigits(1...9) else { return false }
    let digits = rest[tail.rest.endIndex...]
    guard digits.first != UInt8(ascii: "0"),
      let value = Int(String(decoding: digits, as: UTF8.self)), range.contains(value)
    else { return false }
    self = tail
    return true
  }

  /// Takes off `OPENING...CLOSING`, brackets of one kind in pairs, and returns what stood inside.
  mutating func takeGroup(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) -> ArraySlice<
    UInt8
  >? {
    guard rest.last == UInt8(ascii: closing) else { return nil }
    var level = 0
    for index in rest.indices.reversed() {
      if rest[index] == UInt8(ascii: closing) { level += 1 }
      if rest[index] == UInt8(ascii: opening) { level -= 1 }
      guard level == 0 else { continue }
      let inside = rest[(index + 1)..<(rest.endIndex - 1)]
      rest = rest[..<index]
      return inside
    }
    return nil
  }
}
