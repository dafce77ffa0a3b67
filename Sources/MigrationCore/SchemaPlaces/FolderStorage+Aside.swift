import FolderState
import Folders
import SafeFiles
import SchemaMigrations

// What steps have used, and where it lies since: below our state directory, by step and number.
extension FolderStorage {
  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    guard case .file(let path, let pointer) = try place(key), pointer.first == nil else { return }
    guard let expected = try digest(of: key, in: step) else {
      throw StorageFailure("nothing is noted of \(key)", remedy: "report this")
    }
    var number = 1
    while try state(of: Self.aside(path, step, number)) != nil { number += 1 }
    let target = Self.aside(path, step, number)
    try move(path, to: target)
    // Who takes no lock may have written at the last moment: now nobody finds it by its name.
    var found: ValueDigest?
    do throws(StorageFailure) {
      found = try json(at: target).map { ValueDigest(of: $0) }
    } catch {
      // What cannot be read any more is something else, too.
    }
    guard found != expected else { return }
    try move(target, to: path)
    throw StorageFailure(
      "\(path) was written while it was to move", remedy: "run the command again")
  }

  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    guard case .file(let path, _) = try place(key) else { return }
    try move(whatWasUsed(of: key, at: path, by: step).aside, to: path)
  }

  /// What a step has set aside of a place.
  func valueSetAside(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) -> MigrationValue? {
    guard case .file(let path, _) = try place(key) else { return nil }
    return try whatWasUsed(of: key, at: path, by: step).value
  }

  func isSetAside(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) -> Bool {
    guard case .file(let path, _) = try place(key), let expected = try digest(of: key, in: step)
    else { return false }
    return try find(expected, of: path, by: step) != nil
  }

  /// Finds the last file that was set aside and is what the step used.
  private func whatWasUsed(
    of key: StorageKey, at path: RelativePath, by step: MigrationID
  ) throws(StorageFailure) -> (aside: RelativePath, value: MigrationValue) {
    let expected = try digest(of: key, in: step)
    if let expected, let found = try find(expected, of: path, by: step) { return found }
    throw StorageFailure(
      "what was set aside of \(path) is not there", remedy: "restore it from a backup")
  }

  /// Finds the last file that a step has set aside of a path and that holds a value.
  private func find(
    _ expected: ValueDigest, of path: RelativePath, by step: MigrationID
  ) throws(StorageFailure) -> (aside: RelativePath, value: MigrationValue)? {
    for number in try numbers(of: step).reversed() {
      let place = Self.aside(path, step, number)
      guard let value = try json(at: place), ValueDigest(of: value) == expected else { continue }
      return (place, value)
    }
    return nil
  }

  /// The numbers under which a step has set files aside, in their order. What came back leaves gaps.
  private func numbers(of step: MigrationID) throws(StorageFailure) -> [Int] {
    try asking { () throws(FileError) in
      guard let place = RelativePath(Self.aside(of: step)) else { return [] }
      let entries = try folder.openDirectoryIfPresent(place)?.entries() ?? []
      return entries.compactMap { Int(String(decoding: $0.name.bytes, as: UTF8.self)) }
        .filter { $0 > 0 }.sorted()
    }
  }

  func usedEarlier(by step: MigrationID) throws(StorageFailure) -> [StepRecord.Replaced] {
    let records = try lines().map(\.record).filter { $0.id == step }
    var used: [StepRecord.Replaced] = []
    for source in StepRecord.usedEarlier(records) {
      // What a step that was edited does not name any more has no place here.
      guard case .file(let path, let pointer)? = places[source.key], pointer.first == nil,
        try find(source.value, of: path, by: step) != nil
      else { continue }
      used.append(source)
    }
    return used
  }

  func asidePlace(of step: MigrationID) -> String? {
    String(decoding: Self.aside(of: step), as: UTF8.self)
  }

  func undoCommand(of step: MigrationID) -> String? { "--undo \(step)" }

  /// The directory of what a step has set aside.
  private static func aside(of step: MigrationID) -> [UInt8] {
    RelativePath(FolderNames.state).appending(FolderNames.schema).bytes
      + Array("/\(step.rawValue)".utf8)
  }

  /// Where a file goes that a step has used.
  private static func aside(_ path: RelativePath, _ step: MigrationID, _ number: Int)
    -> RelativePath
  {
    RelativePath(aside(of: step) + Array("/\(number)/".utf8) + path.bytes) ?? path
  }

  private func move(_ path: RelativePath, to target: RelativePath) throws(StorageFailure) {
    try asking { () throws(FileError) in
      guard let name = path.lastComponent, let parent = path.parent,
        let newName = target.lastComponent, let newParent = target.parent
      else { throw .invalidPath(path: path.description) }
      let source = try folder.openDirectory(parent)
      let directory = try folder.createDirectory(newParent)
      try source.move(name, to: directory, as: newName)
      try directory.synchronize()
      try source.synchronize()
    }
  }

  /// What a step has noted last of one of its places.
  private func digest(of key: StorageKey, in step: MigrationID) throws(StorageFailure)
    -> ValueDigest?
  {
    let records = try lines().map(\.record).filter { $0.id == step }
    for record in records.reversed() {
      if let source = record.replaced.first(where: { $0.key == key }) { return source.value }
    }
    return records.last?.value
  }
}
