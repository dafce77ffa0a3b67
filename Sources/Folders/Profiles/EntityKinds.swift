import Diagnostics
package import SafeFiles
import Synchronization

/// How entities become documents (convergent-import.md).
package enum EntityMapping: Sendable {
  /// Version 1, which is older than profiles and frozen: fields have an order of their own, an entity has
  /// a list of images, and documents have layouts.
  case frozen
  /// Version 2, of kinds that are declared property by property.
  case declared
}

/// The kinds of entity of a folder: its profile as one run uses it.
///
/// Identities are text; what compares and stores them uses sixteen bytes of each: those of a UUID, or
/// of the SHA-256 of any other text. The texts that were met are kept here, so that whoever speaks of
/// an identity can say it.
package final class EntityKinds: Sendable {
  /// Minuta's, whose profile is not even read as long as nobody asks for more than names.
  package static let minuta = EntityKinds()

  /// How the entities become documents.
  package let mapping: EntityMapping
  /// What the kinds are called, in the order of the profile.
  package let names: [String]
  private let declared: Profile?
  /// What the profile says about each kind; empty for Minuta as long as nobody asks.
  private let kinds: [EntityKindProfile]
  /// What is asked for every entity, so that nobody copies all that the profile says of its kind.
  let facts: [KindFacts]
  /// Whether all identities are UUIDs, whose texts need no keeping and are in their order.
  private let areAllUUIDs: Bool
  /// The texts of identities that are no UUIDs.
  private let texts = Mutex<[Identity: [UInt8]]>([:])

  /// What tells a command of this profile; empty if it needs no telling.
  package let options: [String]

  /// Creates the kinds of a profile.
  ///
  /// - Parameter text: what the profile was given as, by its name or as a file.
  package init(_ profile: Profile, givenAs text: String? = nil) {
    mapping = profile.mapping
    names = profile.kinds.map(\.name)
    declared = profile
    kinds = profile.kinds
    facts = profile.kinds.map { KindFacts($0) }
    areAllUUIDs = facts.allSatisfy(\.isUUID)
    options = mapping == .frozen ? [] : text.map { ["--profile", $0] } ?? []
  }

  private init() {
    mapping = .frozen
    names = ["tag", "record"]
    declared = nil
    kinds = []
    facts = KindFacts.frozen
    areAllUUIDs = true
    options = []
  }

  /// The profile.
  package var profile: Profile { declared ?? .minuta }

  /// The name of the profile, without reading a built-in one for it.
  package var profileName: String { declared?.name ?? "minuta" }

  /// The app's own lock, at the top of the folder; nil if the app has none.
  package var lock: FileName? { declared == nil ? FolderNames.writeLock : profile.lock }

  /// All kinds, in the order of the profile.
  package var all: [EntityKind] { names.indices.map(EntityKind.init(index:)) }

  /// Returns what the profile says about a kind; nil for what is no entity.
  package subscript(kind: EntityKind) -> EntityKindProfile? {
    let kinds = declared == nil ? profile.kinds : kinds
    return Int(kind.index) < kinds.count ? kinds[Int(kind.index)] : nil
  }

  /// Returns the facts about a kind; nil for what is no entity.
  func facts(about kind: EntityKind) -> KindFacts? {
    Int(kind.index) < facts.count ? facts[Int(kind.index)] : nil
  }

  /// Returns the kind of that name.
  package func kind(named name: Span<UInt8>) -> EntityKind? {
    for (index, other) in names.enumerated() where NameText.isEqual(name, other) {
      return EntityKind(index: index)
    }
    return nil
  }

  /// Returns what a kind is called.
  package func name(of kind: EntityKind) -> String {
    Int(kind.index) < names.count ? names[Int(kind.index)] : "other"
  }

  /// Returns a number of entities of a kind, as people read it: `2 records`, `3 settings entities`.
  package static func counted(_ count: Int, _ name: String) -> String {
    minuta.names.contains(name)
      ? count.counted(name) : count.counted(name + " entity", name + " entities")
  }

  /// Returns what an entity is called in messages, such as `record 1F3C...`.
  package func title(_ kind: EntityKind, _ identity: Identity) -> String {
    "\(name(of: kind)) \(text(of: identity))"
  }
}

// Identities of every rule.
extension EntityKinds {
  /// Returns the identity that a text is by the rule of a kind, and keeps the text; nil if it is none.
  package func identity(_ text: Span<UInt8>, of kind: EntityKind) -> Identity? {
    guard !isUUID(kind), let bytes = facts(about: kind)?.identity.bytes(text) else {
      return isUUID(kind) ? Identity(text) : nil
    }
    let identity = Identity(hashing: bytes)
    texts.withLock { $0[identity] = bytes }
    return identity
  }

  /// What a text is that is no identity of a kind, for messages.
  func lack(of kind: EntityKind) -> String {
    switch facts(about: kind)?.identity {
    case .string, .member, .file, .row: "empty"
    case .singleton: "not \"singleton\""
    case .uuid, nil: "no UUID"
    }
  }

  /// Whether the identities of a kind are UUIDs, whose texts need no keeping and are in their order.
  package func isUUID(_ kind: EntityKind) -> Bool {
    areAllUUIDs || Int(kind.index) >= facts.count || facts[Int(kind.index)].isUUID
  }

  /// Returns the text of an identity of a kind that was met, as documents have it: the key of its
  /// entity.
  package func bytes(of identity: Identity, _ kind: EntityKind) -> [UInt8] {
    isUUID(kind) ? identity.canonicalBytes : bytes(of: identity)
  }

  /// Returns the text of an identity that was met, as documents have it: the key of its entity.
  package func bytes(of identity: Identity) -> [UInt8] {
    if areAllUUIDs { return identity.canonicalBytes }
    return texts.withLock { $0[identity] } ?? identity.canonicalBytes
  }

  /// Returns the text of an identity for messages.
  package func text(of identity: Identity) -> String {
    areAllUUIDs ? identity.description : DisplayText.escaping(bytes(of: identity))
  }

  /// Returns whether an identity comes before another one in the order of their texts.
  package func precedes(_ left: Identity, _ right: Identity) -> Bool {
    areAllUUIDs ? left < right : ByteOrder.precedes(bytes(of: left), bytes(of: right))
  }
}

/// What is asked of a kind for every entity.
final class KindFacts: Sendable {
  /// The date of an entity that says which document it belongs to; nil if none does.
  let date: PropertyName?
  /// Whether the path of a file says the month of its entities.
  let isGroupedByMonth: Bool
  /// Whether each of its files is one entity.
  let isOneEntity: Bool
  /// Whether each of its files is one entity and nothing else.
  let isFileEach: Bool
  /// What the paths of its documents and of its files match.
  let documents: [PathPattern]
  let files: [PathPattern]
  /// Where the identity of an entity stands.
  let identity: IdentityRule
  /// Whether identities are UUIDs, whose texts need no keeping.
  let isUUID: Bool
  /// The names of the store's entity, and the rule they are of; nil of kinds in files.
  let rows: (names: [RelativePath], rule: StoreRows)?

  /// The facts about a kind whose paths are told by the names of directories.
  init(identity: IdentityRule, isOneEntity: Bool, isGroupedByMonth: Bool) {
    self.identity = identity
    if case .uuid = identity { isUUID = true } else { isUUID = false }
    self.isOneEntity = isOneEntity
    isFileEach = isOneEntity
    self.isGroupedByMonth = isGroupedByMonth
    (date, documents, files, rows) = (nil, [], [], nil)
  }

  init(_ kind: EntityKindProfile) {
    identity = kind.identity
    if case .uuid = kind.identity { isUUID = true } else { isUUID = false }
    switch kind.home?.content {
    case .entity, .value: isOneEntity = true
    case .elements, .members, nil: isOneEntity = false
    }
    isFileEach = kind.home?.content == .entity
    documents = kind.home?.document.templates.compactMap(\.pattern) ?? []
    files = kind.home?.paths ?? []
    rows = kind.home?.rows.map { rows in
      (rows.names.compactMap { RelativePath(Array($0.utf8)) }, rows)
    }
    guard case .monthly(_, of: let month, _) = kind.home?.document else {
      (date, isGroupedByMonth) = (nil, false)
      return
    }
    if case .date(let property) = month { date = property } else { date = nil }
    isGroupedByMonth = month == .path
  }
}

extension Identity {
  /// The identity of a text that is no UUID: the first sixteen bytes of its SHA-256.
  package init(hashing text: [UInt8]) {
    let bytes = ContentHash(of: text).bytes
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(0..<8), low: word(8..<16))
  }
}
