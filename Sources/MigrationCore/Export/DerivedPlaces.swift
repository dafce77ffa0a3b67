import Folders
import SafeFiles

/// Where entities of a kind go that no file of the folder or of its quarantine holds: a path that the
/// profile's patterns take for one of the kind, and that tells the identity or at least shows it.
struct DerivedPlaces {
  /// A path, and whether a part of it was made of the identity without a rule that says so.
  struct Place {
    var path: RelativePath
    var isMadeUp: Bool
  }

  private let kind: EntityKind
  private let kinds: EntityKinds
  private let home: EntityHome
  private let identityRule: IdentityRule
  /// Whether the path must say the month.
  private let isGroupedByMonth: Bool

  init?(_ kind: EntityKind, of kinds: EntityKinds) {
    guard let profile = kinds[kind], let home = profile.home else { return nil }
    self.kind = kind
    self.kinds = kinds
    self.home = home
    identityRule = profile.identity
    isGroupedByMonth = kinds.isGroupedByMonth(kind)
  }

  /// Returns the place of an entity; nil if no path would be read as its own. A path that is made of the
  /// identity is none that is taken.
  func place(
    of identity: [UInt8], month: Month?, unless isTaken: (RelativePath) -> Bool
  ) -> Place? {
    // The number of a row is known to its store alone.
    if let name = home.rows?.names.first {
      return RelativePath(Array(name.utf8)).map { Place(path: $0, isMadeUp: false) }
    }
    if identityRule == .file {
      return ownPath(of: identity, month).map { Place(path: $0, isMadeUp: false) }
    }
    for pattern in home.paths {
      guard pattern.hasWildcard else {
        guard let path = filled(pattern, month, with: []) else { continue }
        return Place(path: path, isMadeUp: false)
      }
      // A name that another entity has gets a few digits of the identity's hash, then all of them.
      for digitCount in [0, 8, 64] {
        let room = FileName.longest - Self.largestPart(of: pattern)
        guard let name = FileNameText.name(for: identity, in: room, digitCount: digitCount),
          let path = filled(pattern, month, with: name)
        else { continue }
        if !isTaken(path) { return Place(path: path, isMadeUp: true) }
      }
    }
    return nil
  }

  /// The month that an identity says which is a path; nil if it says none.
  func month(of identity: [UInt8]) -> Month? {
    guard identityRule == .file else { return nil }
    for pattern in home.paths {
      guard let path = path(of: identity, like: pattern) else { continue }
      if let month = home.match(path.bytes.span)?.month { return month }
    }
    return nil
  }

  private func path(of identity: [UInt8], like pattern: PathPattern) -> RelativePath? {
    let last = pattern.text.split(separator: UInt8(ascii: "/")).last ?? []
    let fileExtension = last.lastIndex(of: UInt8(ascii: ".")).map { last[$0...] } ?? []
    guard !fileExtension.contains(UInt8(ascii: "*")) else { return nil }
    return RelativePath(identity + fileExtension)
  }

  /// The path that an identity is, with the extension of a pattern.
  private func ownPath(of identity: [UInt8], _ month: Month?) -> RelativePath? {
    for pattern in home.paths {
      guard let path = path(of: identity, like: pattern), path.identity == identity,
        path.components.allSatisfy({ $0.bytes.count <= FileName.longest }), fits(path, month)
      else { continue }
      return path
    }
    return nil
  }

  private func filled(_ pattern: PathPattern, _ month: Month?, with name: [UInt8]) -> RelativePath?
  {
    let parts = pattern.text.split(separator: UInt8(ascii: "/")).map(Array.init)
    let star = UInt8(ascii: "*")
    let named = parts.lastIndex { $0.contains(star) }
    var names: [[UInt8]] = []
    for (index, part) in parts.enumerated() {
      if part == [star, star] {
        if index == named { names.append(name) }
        continue
      }
      guard let filled = Self.filled(part, month) else { return nil }
      guard filled.contains(star) else {
        names.append(filled)
        continue
      }
      let rest = filled.filter { $0 != star }
      if index == named, let last = filled.lastIndex(of: star) {
        names.append(filled[..<last].filter { $0 != star } + name + filled[(last + 1)...])
      } else {
        names.append(rest.isEmpty ? name : rest)
      }
    }
    guard let path = RelativePath(Array(names.joined(separator: [UInt8(ascii: "/")]))),
      fits(path, month)
    else { return nil }
    return path
  }

  /// Returns a part of a pattern with the month in it; nil if it needs one and there is none.
  private static func filled(_ part: [UInt8], _ month: Month?) -> [UInt8]? {
    part.contains(UInt8(ascii: "{")) ? month?.filling(part) : part
  }

  /// Whether a file of this path would be read again as one of the kind and of the month.
  private func fits(_ path: RelativePath, _ month: Month?) -> Bool {
    guard let match = home.match(path.bytes.span), kinds.isLegacyFile(path, of: kind) else {
      return false
    }
    return !isGroupedByMonth || match.month == month
  }

  private static func largestPart(of pattern: PathPattern) -> Int {
    pattern.text.split(separator: UInt8(ascii: "/")).map(\.count).max() ?? 0
  }
}

/// Finds the files of entities: those that they were in, or for others paths of their own.
struct DerivedPaths {
  private let kinds: EntityKinds
  private var derived: [EntityKind: DerivedPlaces] = [:]
  /// Paths that entities have, as file systems that ignore case compare them; made when the first name
  /// is made up.
  private var names: Set<String>?

  init(_ kinds: EntityKinds) { self.kinds = kinds }

  /// Returns where an entity belongs.
  mutating func place(
    of entity: DeclaredEntity, in group: EntityGroup, month: Month?, _ known: KnownFiles
  ) throws(PlaceDefect) -> DerivedPlaces.Place {
    if let place = entity.place {
      return DerivedPlaces.Place(path: known.path(of: place.file), isMadeUp: false)
    }
    if let path = entity.path, !known.isClaimed(path),
      !(names?.contains(Self.folded(path)) ?? false)
    {
      return DerivedPlaces.Place(path: path, isMadeUp: false)
    }
    guard let places = derived[group.kind] ?? DerivedPlaces(group.kind, of: kinds) else {
      throw .noPath
    }
    derived[group.kind] = places
    var names = names
    self.names = nil
    defer { self.names = names }
    let place = places.place(of: entity.identity, month: month) { path in
      if names == nil { names = Set(known.claimedPaths.map(Self.folded)) }
      return names?.contains(Self.folded(path)) ?? false
    }
    guard let place else { throw .noPath }
    return place
  }

  /// Takes a path that was made up, so that no other entity gets it.
  mutating func claim(_ path: RelativePath) { names?.insert(Self.folded(path)) }

  private static func folded(_ path: RelativePath) -> String {
    String(decoding: path.bytes, as: UTF8.self).lowercased()
  }
}

/// Makes names of files of any text, so that different texts have different names on every file
/// system that tells case and composition apart.
enum FileNameText {
  /// Returns a name of at most so many bytes, with digits of the text's hash behind `_` if that is
  /// asked for or the text is too long; nil if there is no room.
  static func name(for text: [UInt8], in room: Int, digitCount: Int) -> [UInt8]? {
    let pieces = pieces(of: text)
    let isTooLong = pieces.reduce(0, { $0 + $1.count }) > room
    let digits = digitCount == 0 && isTooLong ? 8 : digitCount
    let tail: [UInt8] =
      digits == 0
      ? [] : [UInt8(ascii: "_")] + ContentHash(of: text).description.utf8.prefix(digits)
    var name: [UInt8] = []
    for piece in pieces {
      if name.count + piece.count + tail.count > room { break }
      name += piece
    }
    return name.isEmpty ? nil : name + tail
  }

  /// The characters of a text, those that some file system or sync service does not take as `%` and
  /// their number; so is `%` itself, and a dot where a name would be hidden by it.
  private static func pieces(of text: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      let isFirst = pieces.isEmpty
      switch scalar {
      case "\0"..." ", "\u{7f}"..."\u{9f}", "/", "\\", ":", "*", "?", "\"", "<", ">", "|", "%":
        pieces.append(scalar == " " && !isFirst ? bytes : bytes.flatMap(escaped))
      case "." where isFirst, "~" where isFirst:
        pieces.append(bytes.flatMap(escaped))
      default:
        pieces.append(bytes)
      }
    }
    return pieces
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] {
    var bytes = [UInt8(ascii: "%")]
    HexDigits.append(byte, to: &bytes)
    return bytes
  }
}
