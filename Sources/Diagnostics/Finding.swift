/// One thing worth telling about a run: what, how bad, where, and what to do next.
package struct Finding: Hashable, Sendable {
  /// The kind of finding; see `FindingCode`.
  package typealias Code = FindingCode

  /// The stable name of the kind of finding.
  package var code: Code
  /// How much it matters.
  package var severity: Severity
  /// The place in display form, relative to the folder; empty if there is none.
  package var path: String
  /// What was found, as a sentence fragment without a trailing stop.
  package var message: String
  /// What the reader can do about it.
  package var next: String?
  /// The command that `next` tells to run, where it tells one that needs nothing to be filled in; of
  /// several the first.
  package var command: NextCommand?
  /// The byte offset inside the file, where one is known.
  package var offset: Int?

  /// Whether it tells of something that nobody could read: what was found besides is not all there is.
  package var isOfUnseen: Bool { code == .unreadable && severity == .error }

  /// Creates a finding from its parts; a command without a text beside it is what to do next.
  package init(
    _ code: Code, _ severity: Severity, path: String = "", message: String, next: String? = nil,
    command: NextCommand? = nil, offset: Int? = nil
  ) {
    self.code = code
    self.severity = severity
    self.path = path
    self.message = message
    self.next = next ?? command?.shellText
    self.command = command
    self.offset = offset
  }
}

extension Finding {
  /// What a file is that was there when the folder was listed, and is not any more.
  package static let gone = Finding(
    .changedWhileRead, .error, message: "is gone since the folder was listed",
    next: "wait until the app and the sync service are done, then run again")

  /// What a file is that is not as it was when it was read first.
  package static let changedSince = Finding(
    .changedWhileRead, .error, message: "changed while this command ran",
    next: "wait until the app and the sync service are done, then run again")

  /// What a file is that could only be read when what it belongs to had been decided without it.
  package static let unreadAtFirst = Finding(
    .changedWhileRead, .error,
    message: "could not be read at first, so nobody knew which document it belongs to",
    next: "run the command again")
}

/// How much a finding matters, least first.
package enum Severity: String, CaseIterable, Comparable, Hashable, Sendable {
  /// Worth knowing; changes no exit status.
  case info
  /// Something the user should look at; changes no exit status.
  case warning
  /// Something is wrong or was left out; the run ends with status 1.
  case error

  private var rank: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }

  package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// The stable name of a kind of finding, as reports and scripts see it.
///
/// A raw value is part of the scripting contract: cases are added, never renamed.
package enum FindingCode: String, CaseIterable, Hashable, Sendable {
  // Entities

  /// A legacy entity that was deleted in the documents stays deleted.
  case deleted
  /// Several files hold one identity with different content.
  case duplicateID = "duplicate-id"
  /// Several files hold one identity with equal content.
  case duplicateEntity = "duplicate-entity"
  /// A user's edit of a document made it differ from the legacy file.
  case editedSince = "edited-since"
  /// A user's deletion in a document made it differ from the legacy file.
  case deletedSince = "deleted-since"
  /// The legacy file and the document were both edited.
  case editedBoth = "edited-both"
  /// The legacy file changed after it was imported.
  case diverged
  /// Readers find an entity in several documents that are no copies of one another.
  case duplicate
  /// An entity is in the document of another month than its legacy file, or in those of several.
  case movedMonth = "moved-month"
  /// An entity has no verified counterpart.
  case unproven
  /// A field of a document differs from the legacy file.
  case fieldDiffers = "field-differs"
  /// What a step of a plan has used stays where it is, because only its app may take it away.
  case staysInPlace = "stays-in-place"
  /// A step of a plan makes nothing of an entity, or does not keep what it promises.
  case notConverted = "not-converted"
  /// An entity of the other side is not in the documents.
  case missingEntity = "missing-entity"
  /// An entity of the documents is not on the other side.
  case extraEntity = "extra-entity"
  /// A name was made from the start time, because no legacy file gives one.
  case nameDerived = "name-derived"
  /// A date lost digits below the millisecond.
  case precisionReduced = "precision-reduced"
  /// A date is a number, or a number that needs `--numeric-dates`.
  case numericDate = "numeric-date"
  /// A number fits no Automerge type exactly.
  case numberNotRepresentable = "number-not-representable"
  /// A required field is missing.
  case missingField = "missing-field"
  /// A field has another type than its schema says.
  case wrongType = "wrong-type"
  /// A field has a value outside its schema.
  case invalidValue = "invalid-value"
  /// An end time lies before its start time.
  case endBeforeStart = "end-before-start"
  /// Records name a tag that no document holds, or ever held.
  case danglingTag = "dangling-tag"
  /// An entity refers to one that no document shows.
  case danglingReference = "dangling-reference"
  /// A value is none that the app expects, as its profile says.
  case unexpectedValue = "unexpected-value"
  /// A field that the schema does not name is carried as it is.
  case unknownField = "unknown-field"
  /// A key at ROOT that is no entity.
  case otherKey = "other-key"
  /// A field holds several concurrent values.
  case conflict
  /// An entity of a damaged document is known by its name and cannot be read.
  case lostEntity = "lost-entity"
  /// An entity of a damaged document was read, but nothing proves its values.
  case unverifiedEntity = "unverified-entity"
  /// Values that an interchange stream cannot carry were left out.
  case notExported = "not-exported"
  /// Entities of a private kind were left out, because nobody asked for them.
  case privateKind = "private-kind"

  // Files

  /// A place is only a placeholder of a sync service.
  case placeholder
  /// A symbolic link that was not followed.
  case symbolicLink = "symbolic-link"
  /// A socket, device or named pipe that was skipped.
  case specialFile = "special-file"
  /// A file that belongs to somebody else.
  case foreignFile = "foreign-file"
  /// A file that could not be read.
  case unreadable
  /// A legacy file whose bytes are not what they should be.
  case damaged
  /// A document whose bytes are not what they should be.
  case damagedDocument = "damaged-document"
  /// A document whose dependencies are not all there.
  case incompleteDocument = "incomplete-document"
  /// A name that looks like a conflict copy.
  case conflictCopy = "conflict-copy"
  /// A document whose name is neither one that an app looks for nor that of a conflict copy.
  case misnamedDocument = "misnamed-document"
  /// A copy that shares no history with what its name says it is a copy of.
  case unrelatedCopy = "unrelated-copy"
  /// A file whose name looks like a copy's holds a record of its own.
  case twoRecords = "two-records"
  /// Readers see one of several objects of an entity, and another holds more.
  case hiddenObject = "hidden-object"
  /// A file that changed while it was read.
  case changedWhileRead = "changed-while-read"
  /// What another program wrote in the place of a file that was replaced is in quarantine or a backup.
  case displaced
  /// A file that a manifest of the quarantine lists is gone.
  case missingFile = "missing-file"
  /// A file whose place does not say which month it belongs to.
  case unknownMonth = "unknown-month"
  /// Members of the tags file that are not imported.
  case unknownMember = "unknown-member"
  /// The tags file is a bare array.
  case bareTagArray = "bare-tag-array"

  // Images

  /// A record names an image that is not in the folder.
  case missingImage = "missing-image"
  /// An image is empty, or has other bytes than what it is compared with.
  case changedImage = "changed-image"
  /// An image that no record names.
  case orphanImage = "orphan-image"
  /// A record names one image twice.
  case duplicateImage = "duplicate-image"
  /// An image whose name looks like a copy's is another image.
  case differentImage = "different-image"
  /// Images are not part of what was written.
  case imagesNotCopied = "images-not-copied"

  // Stores

  /// Nothing of the log beside a store was taken.
  case staleLog = "stale-wal"
  /// The log beside a store ends in the middle of what was being written.
  case tornLog = "torn-wal"
  /// The log beside a store gives it another identifier.
  case foreignLog = "foreign-wal"
  /// A program stopped in the middle of a transaction, which a journal beside a store undoes.
  case hotJournal = "hot-journal"
  /// A store cannot be opened: its bytes are not what they should be.
  case damagedStore = "damaged-store"
  /// The database of a store is gone, and something beside it is there.
  case missingStore = "missing-store"
  /// Properties of a store have the names of their columns, because nothing tells their own.
  case namesFromColumns = "names-from-columns"
  /// What a store says about its model contradicts its tables.
  case modelDiffers = "model-differs"
  /// Entities of a store have a version in their names.
  case dormantVersioning = "dormant-versioning"
  /// A store has tables of several versions of an entity.
  case mixedVersions = "mixed-versions"
  /// The tables of a store are those of no version that its profile knows.
  case unknownVersion = "unknown-version"
  /// Nothing but the numbers of its rows tells the rows of an entity apart.
  case rowIdentity = "row-identity"
  /// Values of a store are kept as something else than declared.
  case otherStorage = "other-storage"
  /// A document has a value that a store names and lacks: the value stays.
  case keptValue = "kept-value"
  /// Values of a store are empty where something was expected.
  case emptyBlob = "empty-blob"
  /// A store holds no rows, or they are gone that its newest backup holds.
  case storeEmptied = "store-emptied"
  /// Rows of a store have no value where its model says that there is one.
  case requiredMissing = "required-missing"
  /// Rows of a store are of an entity that it does not know.
  case unknownEntity = "unknown-entity"
  /// A copy of a store that its app made, which is no data.
  case appCopy = "app-copy"
  /// What a store holds and no line, no document and no comparison has.
  case notCarried = "not-carried"
  /// A store has rows with greater numbers than it ever handed out.
  case foreignRows = "foreign-rows"
  /// An app did not come to the end when it brought its data to another version.
  case interruptedMigration = "interrupted-migration"
  /// An app failed to bring its data to another version, and nothing it wrote down since succeeded.
  case failedMigration = "failed-migration"
  /// A store is of another version than the one that its app came to.
  case versionSkew = "version-skew"
  /// An app is going to bring back a backup when it starts.
  case waitingRestore = "waiting-restore"

  // Runs

  /// There was nothing to compare with.
  case nothingToCompare = "nothing-to-compare"
  /// A stream holds another number of entities than its last line says.
  case filtered
  /// A legacy file was kept because it is not proven.
  case kept
  /// Whole old months are in quarantine.
  case setAside = "set-aside"
  /// A backup lies where a sync service copies it.
  case syncedPlace = "synced-place"
  /// A backup does not verify.
  case unverifiedBackup = "unverified-backup"
  /// Two names differ only by case or Unicode form.
  case nameCollision = "name-collision"
  /// A document whose file could be a tenth shorter with all of its history.
  case notCompact = "not-compact"
  /// Something in a folder that a sync left as it is, on both sides.
  case notSynced = "not-synced"
  /// The run ended before everything was looked at.
  case notLookedAt = "not-looked-at"
  /// A command that the run consists of failed, and nothing after it was done.
  case stopped
  /// A restore died in the middle: the folder, or the store in it, is neither what it was nor what the
  /// backup holds.
  case unfinishedRestore = "unfinished-restore"
  /// A run of a plan was stopped in the middle of a step, or is at work: some files have it, others not.
  case unfinishedStep = "unfinished-step"
  /// A step was done to what came, and where that is now nothing says so: a run would do it again.
  case stepNotNoted = "step-not-noted"
  /// What only the run needed is still there, because it could not be removed.
  case leftBehind = "left-behind"
  /// The history of runs could not be appended to.
  case historyNotWritten = "history-not-written"
}
