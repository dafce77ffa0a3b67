import SafeFiles

// What is asked about an app, and answered for each mapping. What a profile file can say is read off the
// profile; the rest comes with the frozen mapping.
extension EntityKinds {
  /// The name of the profile that commands have to be told; nil for the one that they take unasked.
  package var toldName: String? { isFrozen ? nil : profileName }

  /// Whether streams say the types of properties: of the frozen mapping everybody knows them.
  package var declaresTypes: Bool { !isFrozen }

  /// The app's preference that says that its folder was migrated; nil if nobody knows of one.
  package var migrationPreference: String? { isFrozen ? "automerge_migration_complete_v1" : nil }

  /// Whether a file of a kind may hold more than its entities, so that it stays when they leave it.
  package func isShared(fileOf kind: EntityKind) -> Bool {
    !isFrozen && self[kind]?.home?.content.pointer != nil
  }

  /// Whether files of any kind may hold more than entities.
  package var hasSharedFiles: Bool { all.contains(where: isShared(fileOf:)) }

  /// The kinds whose identities tell one folder from another, and those that tell it where there is none
  /// of these.
  ///
  /// Names that people give are alike in many folders. So of a profile that has UUIDs only these tell, and
  /// what there is one of never does.
  package var telling: (first: Set<EntityKind>, otherwise: Set<EntityKind>) {
    let unique = all.filter(isUUID)
    let telling = unique.isEmpty ? all.filter { facts(about: $0)?.identity != .singleton } : unique
    // Folders have many entities by month, and may have a few others in common.
    let first = isFrozen ? telling.filter(hasMonths) : telling
    return (Set(first), Set(telling).subtracting(first))
  }

  /// The kinds that entities of other kinds refer to.
  package var referredTo: Set<EntityKind> {
    Set(
      all.flatMap { self[$0].map { Array($0.properties) } ?? [] }.compactMap { property in
        property.type.target?.kind.flatMap { kind(named: Array($0.utf8).span) }
      })
  }

  /// Returns the date of the entities of a kind that says which month they are of; nil if none does.
  package func dateProperty(of kind: EntityKind) -> PropertyName? {
    guard case .monthly(_, of: .date(let property), _) = self[kind]?.home?.document else {
      return nil
    }
    return property
  }

  /// Returns the members in which entities of a kind name files.
  package func attachmentKeys(of kind: EntityKind) -> [[UInt8]] {
    if isFrozen { return kind.hasImages ? [Array("images".utf8)] : [] }
    return self[kind]?.attachments.map(\.property.bytes) ?? []
  }

  /// Returns what the entities of a document are that looks like one of a kind by its name: where one
  /// kind alone has documents of any name, it is that.
  package func kind(ofDocumentLike kind: EntityKind) -> EntityKind {
    isFrozen && kind != .tag ? .record : kind
  }
}

// How the folder of an app is laid out.
extension EntityKinds {
  /// Whether documents lie where the user chose: a month's entities in one, or each in one of its own.
  package var hasLayouts: Bool { isFrozen }

  /// Whether directories say by their names what lies in them, renamed ones too (`DirectoryRole`); else
  /// patterns say it of whole paths.
  package var hasDirectoryRoles: Bool { isFrozen }

  /// Whether whatever lies in the directory of a month is of that month.
  package var hasMonthDirectories: Bool { isFrozen }

  /// Whether an entity names files of its own month only.
  package var namesFilesByMonth: Bool { isFrozen }

  /// Whether files of a kind whose paths should say a month, and say none, are read with the others: they
  /// have a document, too.
  package var readsFilesWithoutMonth: Bool { !isFrozen }

  /// Whether it is told which kinds have no months, because not everybody knows.
  package var tellsMonthlessKinds: Bool { !isFrozen }
}

extension EntityKinds {
  /// Whether the mapping is the frozen one.
  fileprivate var isFrozen: Bool { mapping == .frozen }
}
