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
    guard mayBeCopy(name), !IgnoredName.matches(name) else { return [] }
    let whole = ConflictCopyName(base: Array(name), service: .unknown, strength: .strong)
    var readings: [ConflictCopyName] = []
    var level = [whole]
    for depth in 0..<most.depth where !level.isEmpty {
      var next: [ConflictCopyName] = []
      for reading in level {
        for part in ConflictCopyPattern.parts(of: reading.base) {
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

  /// Every part ends with a bracket, a digit or a word, and holds one of a few bytes: so most names
  /// of a large folder cost one look.
  private static func mayBeCopy(_ name: Span<UInt8>) -> Bool {
    var index = 0
    while index < name.count {
      switch name[index] {
      case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: "["): return true
      case UInt8(ascii: "-"):
        // `2024-01-15_093000.json`: what follows the last hyphen has an underscore.
        var end = index + 1
        while end < name.count, name[end] != UInt8(ascii: "_"), name[end] != UInt8(ascii: ".") {
          end += 1
        }
        if end == name.count || name[end] == UInt8(ascii: ".") { return true }
      case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "p"), UInt8(ascii: "P"):
        // `conflict`, `conf(1)`, `konflikt`, `..path1`, `safeBackup`.
        return true
      default: break
      }
      index += 1
    }
    return false
  }
}
