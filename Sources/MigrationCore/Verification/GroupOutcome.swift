import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// What the verification of one group found out.
struct GroupOutcome: Sendable {
  /// A legacy file that could not be decided with the documents of its own group.
  struct DeferredFile: Sendable {
    /// Which of the references it is from.
    var reference: Int
    /// Its number in the inventory of the reference.
    var file: Int
    /// Its state when its bytes were read.
    var state: FileState
    /// The identities it held then, but for the superseded ones.
    var identities: [Identity]
    /// Identities that an earlier reference has: what this file says of them is old.
    var superseded: Set<Identity>
  }

  /// An identity in a document of the group.
  struct DocumentEntity: Hashable, Sendable {
    var identity: Identity
    /// The document's number in the inventory.
    var file: UInt32
    var isVisible: Bool
    /// Whether another document of the group, which is read first, shows the same by the same changes.
    var isShownBefore = false
  }

  /// An entity that others refer to.
  struct Target: Hashable, Sendable {
    // In this order both take no more room than they have to.
    let identity: Identity
    let kind: EntityKind

    init(kind: EntityKind, identity: Identity) {
      (self.kind, self.identity) = (kind, identity)
    }
  }

  /// Which entities of the group refer to another one.
  struct Referrers: Sendable {
    /// The document of the first of them, by its number in the inventory.
    var file: UInt32
    var count: UInt32 = 0
    /// Whether something should become of them when that one is deleted.
    var shouldFollow = false

    mutating func add(_ other: Referrers) {
      count &+= other.count
      shouldFollow = shouldFollow || other.shouldFollow
    }
  }

  /// An entity that others of the group refer to, in three quarters of the room: there is one for almost
  /// each link in the folder, from the first group to the last.
  struct PackedReference: Sendable {
    let identity: Identity
    private let file: UInt32
    /// The lowest bit says whether something should follow.
    private let countAndFlag: UInt32

    init(_ identity: Identity, _ referrers: Referrers) {
      self.identity = identity
      file = referrers.file
      countAndFlag = min(referrers.count, .max >> 1) << 1 | (referrers.shouldFollow ? 1 : 0)
    }

    var referrers: Referrers {
      Referrers(file: file, count: countAndFlag >> 1, shouldFollow: countAndFlag & 1 == 1)
    }
  }

  let group: EntityGroup
  var findings: [Finding] = []
  var documentsVerified = 0
  var changesVerified = 0
  var fieldsCompared = 0
  var imagesFound = 0
  /// The places where an image that a record names, and that is not there, would lie.
  var missingImagePlaces: [RelativePath] = []
  /// Numbers of the image files that records name.
  var usedImages: [UInt32] = []
  /// What visible entities refer to, while it is put together.
  var references: [Target: Referrers] = [:]
  /// What they refer to, each once, by its kind: a table that grew takes several times the room.
  private(set) var packedReferences: [EntityKind: [PackedReference]] = [:]
  /// The identities of the reference in this group, one for each place.
  var reference: [Identity] = []
  /// Those of them that only old months in quarantine hold any more.
  var setAside: Set<Identity> = []
  /// Those of them that a purge has unlinked there.
  var purged: Set<Identity> = []
  /// Those of them that are in no document because their kind is private and nobody asked for it.
  var leftOut: Set<Identity> = []
  /// How many entities of such a kind could not be read.
  var leftOutUnread = 0
  /// Legacy files of the folder that hold such entities.
  var leftOutFiles: [Int] = []
  /// Files with an entity that no document of the group shows.
  var deferred: [DeferredFile] = []
  /// Legacy files of the folder of which dates say the month, and what they hold, if that is asked for.
  var datedFiles: [(file: Int, identities: [Identity])] = []
  /// Numbers of the files that entities name which were left out.
  var leftOutImages: [UInt32] = []
  /// What each document takes and how much is in it, if that is asked for.
  var figures: [DocumentFigures] = []
  /// Every identity in the documents of this group.
  var documents: [DocumentEntity] = []
  /// Whether the document of a month holds a change that no import made, if that is asked for.
  var isEditedMonth = false
  /// Rows of stores that need no line, because documents of the group show what their cells hold.
  private(set) var settled: [PlainRowVerifier.Settled] = []
  /// Legacy files of which everything is proven, if they are asked for.
  var provenFiles: [ProvenFile] = []
  /// Legacy files of the folder that hold no entity, but what stays when entities are out of a file.
  var rests: [Int] = []

  /// What was decided about an entity in all places of the reference together.
  private struct Verdict {
    var isProven = true
    var isEqual = true

    mutating func add(_ result: EntityVerifier.Result) {
      isProven = isProven && result.isProven
      isEqual = isEqual && result.isEqual
    }
  }

  /// The identities that something was decided about, one for each place. Whatever is not in here was not
  /// compared with anything, and counts as nothing.
  private var compared: [Identity] = []
  /// What was decided about those of them that somewhere are not proven, or not equal: few.
  private var doubts: [Identity: Verdict] = [:]

  // Of the identities above, once they are all there.

  /// How many distinct identities the reference has, how many of them are proven and equal wherever
  /// the reference has them, and how many the documents show.
  private(set) var referenceCount = 0
  private(set) var provenCount = 0
  private(set) var equalCount = 0
  private(set) var visibleCount = 0
  /// Entities that the documents show and this group of the reference does not have.
  private(set) var unreferenced: [DocumentEntity] = []

  init(group: EntityGroup) {
    self.group = group
  }

  /// Whether the reference has nothing that documents could be compared with.
  var hasNothingToCompare: Bool { reference.allSatisfy(leftOut.contains) }

  /// Takes over what was decided about an entity of the reference.
  mutating func note(_ result: EntityVerifier.Result, of identity: Identity) {
    compared.append(identity)
    if !result.isProven || !result.isEqual { doubts[identity, default: Verdict()].add(result) }
    findings.append(contentsOf: result.findings)
  }

  /// Takes over rows whose cells alone decided.
  mutating func settle(_ rows: [PlainRowVerifier.Settled], of plain: PlainRows) {
    settled = rows
    for row in rows {
      guard let identity = plain.identity(of: row) else { continue }
      reference.append(identity)
      compared.append(identity)
      fieldsCompared += Int(row.fieldCount)
    }
  }

  /// Takes back what was decided about identities that documents of other groups hold, too.
  mutating func withdraw(_ identities: Set<Identity>, of plain: PlainRows) {
    let isWithdrawn = { (row: PlainRowVerifier.Settled) in
      plain.identity(of: row).map(identities.contains) ?? false
    }
    for row in settled where isWithdrawn(row) { fieldsCompared -= Int(row.fieldCount) }
    settled.removeAll(where: isWithdrawn)
    reference.removeAll(where: identities.contains)
    compared.removeAll(where: identities.contains)
    for identity in identities { doubts[identity] = nil }
  }

  /// Takes note of an identity that only a document of an old month holds.
  mutating func noteSetAside(_ identity: Identity, in document: SetAsideMonths.Document) {
    setAside.insert(identity)
    if !document.isInQuarantine { purged.insert(identity) }
  }

  /// Takes note of an entity of a private kind that is in no document, because nobody asked for it. The
  /// files that it names are its own all the same.
  mutating func leaveOut(
    _ entity: LegacyEntity, of batch: EntityBatch, in inventory: FolderInventory
  ) {
    leftOut.insert(entity.identity)
    for path in batch.attachedPaths(of: entity, month: entity.month ?? group.month) {
      guard let file = inventory.file(at: path) else { continue }
      usedImages.append(UInt32(file))
      leftOutImages.append(UInt32(file))
    }
  }

  private mutating func packReferences() {
    for (kind, some) in Dictionary(grouping: references, by: \.key.kind) {
      // A sum of arrays takes no more room than it needs.
      packedReferences[kind] =
        (packedReferences[kind] ?? []) + some.map { PackedReference($0.key.identity, $0.value) }
    }
    references = [:]
  }

  /// Counts identities; to be called again if more are added.
  mutating func count() {
    packReferences()
    // Then one array serves as both.
    if compared == reference { compared = reference }
    let known = Set(reference).subtracting(setAside).subtracting(leftOut)
    var visible = Set<Identity>(minimumCapacity: documents.count)
    unreferenced.removeAll()
    for entity in documents where entity.isVisible {
      visible.insert(entity.identity)
      if !known.contains(entity.identity) { unreferenced.append(entity) }
    }
    referenceCount = known.count
    let decided = known.intersection(compared)
    (provenCount, equalCount) = (decided.count, decided.count)
    for (identity, verdict) in doubts where decided.contains(identity) {
      if !verdict.isProven { provenCount -= 1 }
      if !verdict.isEqual { equalCount -= 1 }
    }
    visibleCount = visible.count
  }
}
