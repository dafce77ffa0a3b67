import Diagnostics
import Folders
import SafeFiles

// Directories of which most moves.
extension QuarantineMover {
  /// Moves files that are most of what there is in their directory: it changes places, in one step, with
  /// one that holds the rest under a second name. What came to it meanwhile goes back.
  ///
  /// - Parameter files: of one directory, ascending by name, none of which leaves anything in its place.
  /// - Returns: what is to be looked at, and what is told of things that came meanwhile; nil, and nothing
  ///   has moved, where files can only move one by one.
  mutating func beginTogether(
    _ files: [QuarantinedFile]
  ) throws(FileError) -> (moved: [MovedFile?], findings: [Finding])? {
    guard let path = files.first?.path.parent, let name = path.lastComponent,
      let parent = path.parent
    else { return nil }
    let place = try place(of: path, isWayBack: false)
    guard let staying = try Self.rest(of: place, besides: files) else { return nil }
    let from = try folder.openDirectory(parent)
    let to = try run.directory.openDirectory(parent)
    try note(staying, in: path)
    var isExchanged = try Self.prepare(place, holding: staying)
    if isExchanged { isExchanged = try from.exchange(name, with: to) }
    if isExchanged, try !to.state(of: name).isSameFile(as: place.source.state()) {
      // Something else had the name by then, and gets it back.
      _ = try to.exchange(name, with: from)
      isExchanged = false
    }
    guard isExchanged else {
      for name in staying.keys { _ = try place.target.removeSecondName(name, alsoIn: place.source) }
      return nil
    }
    let exchanged = Place(
      path: path, isWayBack: false, source: place.target, target: place.source)
    current = exchanged
    let findings = try sendBack(besides: files, staying, from: exchanged)
    try noteMoves(from: from, to: to)
    return (Self.moved(files, to: exchanged), findings)
  }

  /// What is in a directory besides files that are still as they were read; nil if one of these is not, if
  /// there is not much less than of them, or what cannot have a second name, or if somebody would miss the
  /// directory itself.
  private static func rest(
    of place: Place, besides files: [QuarantinedFile]
  ) throws(FileError) -> [FileName: FileState]? {
    let entries = try place.source.entries()
    guard entries.count >= files.count, entries.count - files.count <= files.count / 2,
      try place.target.entries().isEmpty
    else { return nil }
    var staying: [FileName: FileState] = [:]
    var next = files.startIndex
    for entry in entries {
      if next < files.endIndex, entry.name == files[next].path.lastComponent {
        guard entry.kind == .regular,
          try place.source.stateIfPresent(of: entry.name)?
            .isUnchanged(since: files[next].version.state) ?? false
        else { return nil }
        next += 1
      } else {
        guard entry.kind == .regular || entry.kind == .symbolicLink else { return nil }
        staying[entry.name] = try place.source.stateIfPresent(of: entry.name)
      }
    }
    guard next == files.endIndex, !place.source.hasExtendedAttributes(),
      try place.target.state().owner == place.source.state().owner
    else { return nil }
    return staying
  }

  /// Makes the new directory what stays of the other; false where files have one name only.
  private static func prepare(
    _ place: Place, holding staying: [FileName: FileState]
  ) throws(FileError) -> Bool {
    try place.target.takePermissions(of: place.source.state())
    for name in staying.keys {
      do throws(FileError) {
        guard try place.source.addSecondName(name, in: place.target) else { return false }
      } catch {
        // Somebody has taken it away since it was listed.
        guard case .missing = error else { throw error }
      }
    }
    return true
  }

  /// Lets go back what came to a directory right before it moved, and takes the second names off it.
  ///
  /// - Parameter staying: what has second names, as it was before.
  private func sendBack(
    besides files: [QuarantinedFile], _ staying: [FileName: FileState],
    from place: Place
  ) throws(FileError) -> [Finding] {
    let known = Set(files.compactMap(\.path.lastComponent))
    var rest = staying
    var findings: [Finding] = []
    for entry in try place.target.entries() where !known.contains(entry.name) {
      let path = place.path.appending(entry.name)
      if let old = rest.removeValue(forKey: entry.name) {
        if try place.target.removeSecondName(entry.name, alsoIn: place.source) { continue }
        // Who has put another one in its place before the directory moved gets it back; who has done so
        // since has it.
        let isOld = try place.target.stateIfPresent(of: entry.name)?.isSameFile(as: old) ?? true
        let there = try place.source.stateIfPresent(of: entry.name)
        var isSettled = isOld
        if !isOld, let there, there.isSameFile(as: old) {
          isSettled = try place.source.exchange(entry.name, with: place.target)
        }
        if isSettled {
          findings.append(replaced(path))
          continue
        }
      }
      do throws(FileError) { try place.target.move(entry.name, to: place.source) } catch {
        guard case .alreadyExists = error else { throw error }
        findings.append(run.displaced(path))
      }
    }
    // What somebody has taken away since it got its second name is not to be there again.
    for (name, old) in rest
    where try place.source.stateIfPresent(of: name)?.isSameFile(as: old) ?? false {
      try place.source.move(name, to: place.target)
      findings.append(replaced(place.path.appending(name)))
    }
    return findings
  }

  /// Tells of a file that somebody replaced or removed meanwhile, and that is in quarantine as it was.
  private func replaced(_ path: RelativePath) -> Finding {
    Finding(
      .displaced, .info, path: path.description,
      message: "was replaced or removed by somebody else while this command moved what is beside "
        + "it: what it was is in \(run.path.appending(path))")
  }

  /// The files as what has moved.
  private static func moved(
    _ files: [QuarantinedFile], to place: Place
  ) -> [MovedFile?] {
    files.map { file in
      file.path.lastComponent.map { name in
        MovedFile(
          source: place.source, target: place.target, name: name, newName: name,
          state: file.version.state, hash: file.version.hash, isRenamed: false)
      }
    }
  }

  // MARK: The mark

  /// Says that what has moved was not looked at.
  mutating func setMark() throws(FileError) {
    guard !isMarked, let mark = Quarantine.mark(ofMoving: run.name) else { return }
    let file = try quarantine.stageFile(as: mark, replacing: .nothing)
    do throws(FileError) { try StagedFile.publish([file.finish()]) } catch {
      file.discard()
      throw error
    }
    isMarked = true
  }

  /// Says in the mark what gets a second name while the rest of its directory moves: gone from its place
  /// after the run died, it was taken away, and is not to be there again.
  private func note(
    _ staying: [FileName: FileState], in path: RelativePath
  ) throws(FileError) {
    guard isMarked, !staying.isEmpty, let mark = Quarantine.mark(ofMoving: run.name) else { return }
    let lines = staying.sorted { $0.key < $1.key }.map { name, state in
      "\(state.inode) \(DisplayText.escaping(path.appending(name).bytes))"
    }
    try quarantine.appendLine(Array(lines.joined(separator: "\n").utf8), to: mark)
  }

  /// Removes the mark, once everything that has moved was looked at.
  mutating func removeMark() throws(FileError) {
    guard isMarked, let mark = Quarantine.mark(ofMoving: run.name) else { return }
    try quarantine.removeFile(mark, ifUnchangedSince: try quarantine.state(of: mark))
    try quarantine.synchronize()
    isMarked = false
  }
}

// What a run leaves that dies before it has looked at everything that moved.
extension Quarantine {
  private static let markSuffix: StaticString = ".moving"

  /// Returns the name of the file beside a run that says that files move to it.
  static func mark(ofMoving run: FileName) -> FileName? {
    FileName(run.bytes + Array(markSuffix.description.utf8))
  }

  /// Lets everything go back from a run that died that is not what its manifest says: nobody has looked
  /// at it since it moved. Looks at entries of the quarantine for the marks of such runs.
  static func settleMoving(
    _ entries: [DirectoryEntry], of quarantine: Directory, in folder: Directory
  ) throws(FileError) -> [Finding] {
    var findings: [Finding] = []
    for entry in entries where entry.kind == .regular && entry.name.hasSuffix(markSuffix) {
      guard let run = FileName(entry.name.bytes.dropLast(markSuffix.utf8CodeUnitCount)) else {
        continue
      }
      let state = try quarantine.state(of: entry.name)
      do throws(FileError) {
        if let directory = try quarantine.openDirectoryIfPresent(RelativePath(run)) {
          var expected = try hashes(ofRun: run, in: quarantine)
          let staying = try staying(asMarkedBy: entry.name, in: quarantine)
          var hasher = ContentHasher()
          try settle(
            directory, at: .folder, of: path.appending(run), &expected, staying, &hasher,
            in: folder, noting: &findings)
        }
      } catch {
        // Who cannot look today looks tomorrow.
        findings.append(.unlisted(path.appending(run), because: error))
        continue
      }
      try quarantine.removeFile(entry.name, ifUnchangedSince: state)
    }
    return findings
  }

  /// What files of a run are, as its manifest says.
  private static func hashes(
    ofRun run: FileName, in quarantine: Directory
  ) throws(FileError) -> [RelativePath: ContentHash] {
    guard let manifest = QuarantineManifest.name(of: run) else { return [:] }
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    var hashes: [RelativePath: ContentHash] = [:]
    while let entry = try reader.next() { hashes[entry.path] = entry.hash }
    return hashes
  }

  /// The inodes of files that got a second name, as a mark says; a line that a crash tore says nothing.
  private static func staying(
    asMarkedBy mark: FileName, in quarantine: Directory
  ) throws(FileError) -> [RelativePath: UInt64] {
    var staying: [RelativePath: UInt64] = [:]
    for line in try quarantine.contents(of: mark).split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard parts.count == 2, let inode = UInt64(String(decoding: parts[0], as: UTF8.self)),
        let path = DisplayText.bytes(shownAs: String(decoding: parts[1], as: UTF8.self))
          .flatMap({ RelativePath($0) })
      else { continue }
      staying[path] = inode
    }
    return staying
  }

  private static func settle(
    _ directory: Directory, at path: RelativePath, of run: RelativePath,
    _ expected: inout [RelativePath: ContentHash], _ staying: [RelativePath: UInt64],
    _ hasher: inout ContentHasher, in folder: Directory, noting findings: inout [Finding]
  ) throws(FileError) {
    var place: Directory?
    for entry in try directory.entries() {
      let own = path.appending(entry.name)
      if entry.kind == .directory {
        try settle(
          directory.openDirectory(entry.name), at: own, of: run, &expected, staying, &hasher,
          in: folder, noting: &findings)
        continue
      }
      if entry.kind == .regular, let hash = expected[own],
        try hasher.hash(entry.name, in: directory).hash == hash
      {
        continue
      }
      if place == nil { place = try folder.createDirectory(path) }
      guard let target = place else { continue }
      // What stays has a second name while the rest moves.
      if try directory.removeSecondName(entry.name, alsoIn: target) { continue }
      if let inode = staying[own],
        try directory.stateIfPresent(of: entry.name)?.inode == inode
      {
        findings.append(
          Finding(
            .displaced, .info, path: own.description,
            message:
              "was replaced or removed by somebody else after a command died that moved what is "
              + "beside it: what it was is in \(run.appending(own))"))
        continue
      }
      do throws(FileError) {
        try directory.move(entry.name, to: target)
        findings.append(
          Finding(
            .displaced, .info, path: own.description,
            message: "was in a directory that moved when a command died, and is back where it was"))
      } catch {
        guard case .alreadyExists = error else { throw error }
        findings.append(
          Finding(
            .displaced, .error, path: own.description,
            message: "was written while a command that died moved it, and something else has its "
              + "place: what was written is in \(run.appending(own))",
            next: "compare the two; nothing of it is lost"))
      }
    }
    try place?.synchronize()
    if place != nil { try directory.synchronize() }
  }
}
