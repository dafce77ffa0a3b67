package import SafeFiles

// What lies where in a folder.
extension EntityKinds {
  /// Whether the path of a file says the month of its entities, and so the document they belong to.
  package func isGroupedByMonth(_ kind: EntityKind) -> Bool {
    facts(about: kind)?.isGroupedByMonth ?? false
  }

  /// Whether a file of a kind is one entity, so that one which cannot be read stands for one.
  package func isOneEntity(fileOf kind: EntityKind) -> Bool {
    facts(about: kind)?.isOneEntity ?? false
  }

  /// Whether a file of a kind is one entity and nothing else.
  package func isFileEach(_ kind: EntityKind) -> Bool {
    facts(about: kind)?.isFileEach ?? false
  }

  /// Whether the path of a file is the identity of what it holds.
  package func isIdentifiedByPath(_ kind: EntityKind) -> Bool {
    facts(about: kind)?.identity == .file
  }

  /// Whether a date of an entity says which document it belongs to.
  package func isDated(_ kind: EntityKind) -> Bool {
    facts(about: kind)?.date != nil
  }

  /// The property whose date says which document an entity belongs to; nil if none does.
  package func date(of kind: EntityKind) -> PropertyName? { facts(about: kind)?.date }

  /// Whether a date says which document an entity belongs to, and each file is one entity: so files can
  /// be put together by month once they were read.
  package func isGroupedByDate(_ kind: EntityKind) -> Bool {
    isDated(kind) && isOneEntity(fileOf: kind)
  }

  /// Whether the entities of a kind are in documents by month.
  package func hasMonths(_ kind: EntityKind) -> Bool {
    isGroupedByMonth(kind) || isDated(kind)
  }

  /// Returns the month that a directory of files has which entities with months name; nil if it has none,
  /// or if entities without months name its files, too.
  package func month(ofAttachmentsIn directory: RelativePath) -> Month? {
    var months: Set<Month?> = []
    for kind in all {
      for template in self[kind]?.allAttachments.flatMap(\.directories) ?? [] {
        guard let match = template.pattern?.match(directory.bytes.span) else { continue }
        months.insert(hasMonths(kind) ? match.month : nil)
      }
    }
    return months.count == 1 ? months.first ?? nil : nil
  }

  /// Returns what the entities of a document of a path in the folder are; `other` if its path does not
  /// tell.
  package func kind(ofDocumentIn path: RelativePath) -> EntityKind {
    hasLayouts ? EntityKind(ofDocumentIn: path) : documentGroup(ofPath: path)?.kind ?? .other
  }

  /// Whether entities of a kind and a month, or without a month, have a document. Where a date that
  /// decides is required, only files that cannot be read have no month.
  package func hasDocument(of kind: EntityKind, month: Month?) -> Bool {
    hasLayouts
      ? hasMonths(kind) == (month != nil) : self[kind]?.home?.document.path(in: month) != nil
  }

  /// Returns the document of the entities of a kind and a month, or of those without a month.
  package func documentPath(of kind: EntityKind, month: Month?) -> RelativePath {
    guard !hasLayouts else {
      return month.map(DocumentLayout.documentPath(of:)) ?? DocumentLayout.commonDocument
    }
    guard let path = self[kind]?.home?.document.path(in: month) else {
      preconditionFailure("the rules of profiles give every entity a document")
    }
    return path
  }

  /// Whether a name at the top of the folder is that of the app's own lock.
  func isLock(_ name: Span<UInt8>) -> Bool {
    lock.map { $0.bytes == Array(name) } ?? false
  }

  /// Returns the kind whose documents have a path that the given one ends with; nil if there is none.
  package func kind(ofDocumentAt path: String) -> EntityKind? {
    if areToldByFields { return nil }
    var rest = Array(path.utf8)[...]
    while true {
      let found = all.first { self[$0]?.home?.document.match(Array(rest).span) != nil }
      guard found == nil, let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return found }
      rest = rest[(slash + 1)...]
    }
  }

  /// Whether something of that name at the top of the folder may be a legacy file of one of some kinds,
  /// hold one, or be a copy of what does.
  package func mayHoldLegacyFiles(_ name: Span<UInt8>, of kinds: [EntityKind]) -> Bool {
    if hasDirectoryRoles {
      return DirectoryRole.folder.meaning(of: name).fileClass.isLegacy
        || DirectoryRole.folder.child(name).holdsRecords
    }
    let base = name.extracting(0..<DirectoryName.lengthWithoutCopyNumber(name))
    return kinds.contains { kind in
      self[kind]?.home?.paths.contains { $0.mayBegin(with: name) || $0.mayBegin(with: base) }
        ?? false
    }
  }

  /// Whether a file of that path would be read as one of a kind.
  package func isLegacyFile(_ path: RelativePath, of kind: EntityKind) -> Bool {
    guard self[kind]?.home?.match(path.bytes.span) != nil else { return false }
    let meaning = meaning(ofPath: path.bytes)
    return meaning.kind == kind && meaning.fileClass.isLegacy
  }

  /// Returns the kind whose entities a regular file of that path holds, and whether it is a document;
  /// nil for what is neither a legacy file nor a document of a known kind.
  package func content(ofPath path: [UInt8]) -> (kind: EntityKind, isDocument: Bool)? {
    let dot = UInt8(ascii: ".")
    guard path.first != dot, !NameText.contains(path.span, "/.") else { return nil }
    let meaning = meaning(ofPath: path)
    guard meaning.fileClass.isData, meaning.kind != .other else { return nil }
    return (meaning.kind, meaning.fileClass.isDocument)
  }

  /// Returns what a regular file of that path would be; one that is hidden, or in a hidden directory, is
  /// foreign.
  package func fileClass(ofPath path: RelativePath) -> FileClass {
    let dot = UInt8(ascii: ".")
    guard path.bytes.first != dot, !NameText.contains(path.bytes.span, "/.") else {
      return .foreign
    }
    return meaning(ofPath: path.bytes).fileClass
  }

  /// Whether a regular file of that path lies where entities of a kind name files.
  package func isAttachment(_ path: RelativePath) -> Bool {
    if hasDirectoryRoles { return mayBeAttachment(path) }
    let dot = UInt8(ascii: ".")
    let path = path.bytes
    guard path.first != dot, !NameText.contains(path.span, "/.") else { return false }
    return meaning(ofPath: path).fileClass == .image
  }

  /// Returns what the path of a regular file means; no part of it begins with a dot.
  func meaning(ofPath path: [UInt8]) -> FileMeaning {
    if hasDirectoryRoles { return DirectoryRole.meaning(ofPath: path.span).file }
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1..<path.count]
    if IgnoredName.matches(name.span) { return FileMeaning(.foreign) }
    if let found = dataMeaning(ofPath: path) { return found }
    // A copy is known by what it is a copy of; a document that is a copy is read, a file is not.
    let directory = path[..<name.startIndex]
    if let kind = attachmentKind(in: directory.dropLast()) { return FileMeaning(.image, kind) }
    let isDocument = NameText.hasSuffix(name.span, FolderNames.documentExtension)
    for reading in ConflictCopyName.readings(of: name.span) {
      guard let base = dataMeaning(ofPath: directory + reading.base) else { continue }
      return FileMeaning(base.fileClass.isDocument ? .otherDocument : .conflictCopy, base.kind)
    }
    if let base = overlaidPath(of: path) { return meaning(ofPath: base) }
    return FileMeaning(isDocument ? .otherDocument : .foreign)
  }

  /// The kind whose entities name files of a directory. The folder itself holds many other files, too.
  private func attachmentKind(in directory: ArraySlice<UInt8>) -> EntityKind? {
    if directory.isEmpty { return nil }
    let directory = Array(directory)
    return all.first { kind in
      self[kind]?.allAttachments.contains { attachment in
        attachment.directories.contains { $0.pattern?.match(directory.span) != nil }
      } ?? false
    }
  }

  private func dataMeaning(ofPath path: [UInt8]) -> FileMeaning? {
    for (index, facts) in facts.enumerated() {
      let kind = EntityKind(index: index)
      for pattern in facts.documents {
        guard let match = pattern.match(path.span) else { continue }
        return FileMeaning(match.month == nil ? .fixedDocument : .monthDocument, kind)
      }
      guard let pattern = facts.files.first(where: { $0.match(path.span) != nil }) else { continue }
      return FileMeaning(pattern.isOnePath ? .fixedFile : .patternFile, kind)
    }
    return nil
  }

  /// Returns the month that the path of a file or of a document says.
  package func month(ofPath path: Span<UInt8>, _ kind: EntityKind) -> Month? {
    if hasDirectoryRoles { return DirectoryRole.meaning(ofPath: path).month }
    guard let home = self[kind]?.home else { return nil }
    if let match = home.document.match(path) ?? home.match(path) { return match.month }
    guard let base = overlaidPath(of: Array(path)) else { return nil }
    return (home.document.match(base.span) ?? home.match(base.span))?.month
  }
}

extension DocumentPlace {
  /// Returns how a path is that of one of the documents; nil if it is not.
  func match(_ path: Span<UInt8>) -> PathPattern.Match? {
    for template in templates {
      if let match = template.pattern?.match(path) { return match }
    }
    return nil
  }
}
