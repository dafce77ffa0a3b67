import SafeFiles

// What is asked about an app, and answered for Minuta as for any other.
extension EntityKinds {
  /// The name of the profile that commands have to be told; nil for the one that they take unasked.
  package var toldName: String? { isMinuta ? nil : profileName }

  /// Whether documents lie where the user chose: a month's entities in one, or each in one of its own.
  package var hasLayouts: Bool { isMinuta }

  /// Whether streams say the types of properties: of frozen mappings everybody knows them.
  package var declaresTypes: Bool { !isMinuta }

  /// The app's preference that says that its folder was migrated; nil if nobody knows of one.
  package var migrationPreference: String? { isMinuta ? "automerge_migration_complete_v1" : nil }

  /// Whether a file of a kind may hold more than its entities, so that it stays when they leave it.
  package func isShared(fileOf kind: EntityKind) -> Bool {
    !isMinuta && self[kind]?.home?.content.pointer != nil
  }

  /// Whether files of any kind may hold more than entities.
  package var hasSharedFiles: Bool { all.contains(where: isShared(fileOf:)) }

  /// Whether directories say by their names what lies in them, renamed ones too: what is in that of a
  /// month is of that month, and an entity names files of its own month only.
  package var hasMonthDirectories: Bool { isMinuta }

  /// Whether everybody knows which kinds have no months.
  package var areMonthlessKindsKnown: Bool { isMinuta }

  /// Returns the members in which entities of a kind name files.
  package func attachmentKeys(of kind: EntityKind) -> [[UInt8]] {
    if isMinuta { return kind == .record ? [Array("images".utf8)] : [] }
    return self[kind]?.attachments.map(\.property.bytes) ?? []
  }

  /// Returns what the entities of a document are that looks like one of a kind by its name: where one
  /// kind alone has documents of any name, it is that.
  package func kind(ofDocumentLike kind: EntityKind) -> EntityKind {
    isMinuta && kind != .tag ? .record : kind
  }
}
