import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// What holds the rows of a store that is not as it was: our archives, and the copies that its app made.
struct StoreRecoveryBackups {
  /// What is told of backups that cannot be used.
  private(set) var findings: [Finding] = []

  private let place: BackedUpStore
  private let archives: [BackupStore.Item]
  private let unopened: [BackupStore.Item]
  /// What the store says it is; nil if it cannot be opened.
  private let now: StoreSummary?
  /// The other databases in the directory of the store, those that are gone, too.
  private let others: [FileName]
  private let opener: StoreOpener
  private let context: RunContext

  /// Lists the archives; nothing is read whole yet.
  ///
  /// Where only backups of this store lie, a store that cannot be opened is known by its name: it may
  /// have been moved with them.
  init(
    of store: String, in backupDirectory: String?, _ now: StoreSummary?, beside others: [FileName],
    opener: StoreOpener, context: RunContext
  ) throws(MigrationError) {
    (self.now, self.others, self.opener, self.context) = (now, others, opener, context)
    var options = PackOptions(folder: store)
    options.backupDirectory = backupDirectory
    place = try BackedUpStore(
      options, suffix: StorePackWorkflow.suffix, uuid: now?.uuid ?? "", context: context)
    let name = String(decoding: place.files.name.bytes, as: UTF8.self)
    let isBeside = backupDirectory == nil
    let backups = place.backups { other in
      now.map { $0.isOfSameApp(as: other) } ?? (isBeside && other.name == name)
    }
    do throws(BackupError) {
      archives = try backups?.list() ?? []
      unopened = try backups?.listUnopened() ?? []
    } catch {
      throw MigrationError(error)
    }
  }

  // MARK: What is gone

  /// Returns what a backup says of the rows that the store has lost; nil if none has.
  ///
  /// Of our archives only the newest counts: a later one was made by somebody who said that the rows are
  /// to be gone. Nobody says that to an app.
  mutating func lostRows(of now: StoreSummary) throws(MigrationError) -> StoreSummary? {
    if let newest = archives.lazy.compactMap({ $0.summary?.store }).first {
      return now.isEmptied(since: newest) ? newest : nil
    }
    for copy in copies() {
      guard let summary = try summary(of: copy), now.isOfSameApp(as: summary) else { continue }
      if now.isEmptied(since: summary) { return summary }
    }
    return nil
  }

  /// Whether an archive holds the files of the store as they are now, and verifies.
  func holdFiles() throws(MigrationError) -> Bool {
    guard !unopened.isEmpty else { return false }
    let copy: PrivatePlace
    do throws(StoreError) { copy = try opener.copyUnopened(place.files) } catch {
      throw MigrationError(error)
    }
    defer { withExtendedLifetime(copy) {} }
    for item in unopened {
      do throws(BackupError) {
        let backup = try item.archive.verify(context: checking)
        if try backup.firstDifference(from: copy.directory, context: checking) == nil {
          return true
        }
      } catch {
        if case .interrupted = error { throw MigrationError(error) }
        // One that is damaged keeps nothing.
        continue
      }
    }
    return false
  }

  /// Returns the archives that hold files which the store names and has lost, newest first, and which of
  /// them each brings back; each is read whole.
  mutating func holders(
    of lost: () throws(StoreError) -> [LostFiles]
  ) throws(MigrationError) -> [StoreSituation.LostFiles] {
    var wanted: Set<FileName>
    do throws(StoreError) {
      wanted = try lost().reduce(into: []) { $0.formUnion($1.names) }
    } catch {
      throw MigrationError(error)
    }
    var holders: [StoreSituation.LostFiles] = []
    for item in archives where !wanted.isEmpty {
      if context.isInterrupted() { throw .interrupted }
      guard item.summary?.store?.name == String(decoding: place.files.name.bytes, as: UTF8.self)
      else { continue }
      do throws(BackupError) {
        let manifest = try item.archive.verify(context: checking).manifest
        let held = manifest.externalFiles.intersection(wanted)
        guard !held.isEmpty, let folder = manifest.externalFolder,
          let path = String(validating: try item.archive.absolutePath(), as: UTF8.self)
        else { continue }
        let isAll = held.count == manifest.externalFiles.count
        let paths = isAll ? [folder] : held.sorted().map(folder.appending)
        holders.append(
          .init(
            backup: path, paths: paths.map { String(decoding: $0.bytes, as: UTF8.self) },
            count: held.count))
        wanted.subtract(held)
      } catch {
        if case .interrupted = error { throw MigrationError(error) }
        note(item.archive.path, error.diagnostic.problem)
      }
    }
    return holders
  }

  // MARK: What brings them back

  /// One that may bring the store back.
  private enum Candidate {
    case archive(BackupStore.Item, path: String)
    case copy(AppBackups.Item, path: String)
  }

  /// Returns the newest that is whole and holds rows, else the newest that is whole; with `isEmptied`
  /// only one that holds those that are gone.
  mutating func newest(isEmptied: Bool) throws(MigrationError) -> StoreSituation.Backup? {
    var whole: StoreSituation.Backup?
    for candidate in try candidates() {
      if context.isInterrupted() { throw .interrupted }
      guard let (backup, summary) = try read(candidate) else { continue }
      if isEmptied {
        guard let now, now.isEmptied(since: summary) else { continue }
        return backup
      }
      if backup.rowCount > 0 { return backup }
      whole = whole ?? backup
    }
    return whole
  }

  private mutating func candidates() throws(MigrationError) -> [Candidate] {
    var candidates: [(seconds: Int64, candidate: Candidate)] = []
    for item in archives {
      let path: [UInt8]
      do throws(BackupError) { path = try item.archive.absolutePath() } catch {
        throw MigrationError(error)
      }
      // What no command can be told is of no use, and one of another name is of another place.
      guard let text = String(validating: path, as: UTF8.self),
        item.summary?.store.map({ $0.name.utf8.elementsEqual(place.files.name.text.utf8) }) ?? true
      else {
        note(item.archive.path, "is of a store of another name")
        continue
      }
      let made = item.summary.flatMap { RFC3339($0.created) }?.milliseconds ?? 0
      candidates.append((made / 1000, .archive(item, path: text)))
    }
    for copy in copies() {
      guard let text = String(validating: copy.absolutePath, as: UTF8.self) else { continue }
      candidates.append((copy.state.modified.seconds, .copy(copy, path: text)))
    }
    // Archives of one second are in order already.
    return candidates.enumerated().sorted {
      ($1.element.seconds, $0.offset) < ($0.element.seconds, $1.offset)
    }.map(\.element.candidate)
  }

  private mutating func read(
    _ candidate: Candidate
  ) throws(MigrationError) -> (StoreSituation.Backup, StoreSummary)? {
    switch candidate {
    case .archive(let item, let path):
      do throws(BackupError) {
        let manifest = try item.archive.verify(context: checking).manifest
        guard let summary = manifest.summary.store else { return nil }
        return (.init(path: path, rowCount: summary.rowCount), summary)
      } catch {
        if case .interrupted = error { throw MigrationError(error) }
        note(item.archive.path, error.diagnostic.problem)
        return nil
      }
    case .copy(let item, let path):
      guard let summary = try summary(of: item) else { return nil }
      guard let isOfStore = isOfStore(summary) else {
        findings.append(
          Finding(
            .unverifiedBackup, .warning, path: item.files.path,
            message: "is a copy that an app made, and nobody can tell of which store",
            command: NextCommand(.restoreBackup, [path, "--into", place.files.path])))
        return nil
      }
      guard isOfStore else { return nil }
      return (.init(path: path, rowCount: summary.rowCount, isMadeByApp: true), summary)
    }
  }

  /// Whether a copy is of this store; nil if nobody can tell.
  private func isOfStore(_ copy: StoreSummary) -> Bool? {
    let known = now ?? archives.lazy.compactMap { $0.summary?.store }.first
    return known.map { $0.isOfSameApp(as: copy) } ?? (isOfNoOther(copy) ? true : nil)
  }

  /// Whether all stores beside this one open, and are of other data: then a copy is of the one that does not.
  private func isOfNoOther(_ copy: StoreSummary) -> Bool {
    others.allSatisfy { name in
      let directory = place.files.directory
      do {
        let other = try opener.open(
          StoreFiles(in: directory, name: name, path: directory.path(of: name)))
        return try !StoreSummary(of: other).isOfSameApp(as: copy)
      } catch StoreError.notAStore {
        return !StoreSource.hasNameOfStore(name)
      } catch {
        // What does not open may be what the copy is of.
        return false
      }
    }
  }

  /// The app's copies, newest first: only a store that is called one gets them back.
  private mutating func copies() -> [AppBackups.Item] {
    guard StoreSource.hasNameOfStore(place.files.name) else { return [] }
    let copies = AppBackups(around: place.files.directory, and: place.store?.directory)
    findings += copies.findings.filter { !findings.contains($0) }
    return copies.items
  }

  /// Opens a copy and counts what it holds; nil, and that is told, if it cannot be read.
  private mutating func summary(
    of copy: AppBackups.Item
  ) throws(MigrationError) -> StoreSummary? {
    if context.isInterrupted() { throw .interrupted }
    let store: Store
    do throws(StoreError) { store = try opener.open(copy.files) } catch {
      note(copy.files.path, error.diagnostic.problem)
      return nil
    }
    return try StoreSummary(of: store)
  }

  private mutating func note(_ path: String, _ problem: String) {
    let finding = Finding(
      .unverifiedBackup, .warning, path: path, message: "cannot be used: \(problem)",
      next: "keep it until the store is as it was")
    if !findings.contains(finding) { findings.append(finding) }
  }

  private var checking: BackupContext { BackupContext(context, phase: .checking) }
}

extension StoreSummary {
  /// Whether a store is of the same data: it has the same identifier, or half of all entities in common.
  /// A store that was made anew has another identifier than its old copies, and one entity may be in
  /// several stores of an app.
  func isOfSameApp(as other: StoreSummary) -> Bool {
    if !uuid.isEmpty, uuid == other.uuid { return true }
    let (mine, theirs) = (Set(entities.map(\.name)), Set(other.entities.map(\.name)))
    let common = mine.intersection(theirs).count
    return common > 0 && 2 * common >= mine.union(theirs).count
  }
}

extension FileName {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
