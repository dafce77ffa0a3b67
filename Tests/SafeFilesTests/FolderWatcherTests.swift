import Diagnostics
import Foundation
import SafeFiles
import Synchronization
import Testing

@Suite struct FolderWatcherTests {
  /// Long enough for the slowest machine; no test waits for it unless it fails.
  private static let long = 30_000

  private func place() throws -> (TestPlace, Directory) {
    let place = try TestPlace()
    let folder = try place.open()
    _ = try folder.createDirectory("records/2024" as RelativePath)
    try place.write("old", to: "records/2024/a.json")
    return (place, folder)
  }

  @Test func `nothing new is no change, and the wait ends in time`() throws {
    let (place, folder) = try place()
    let watcher = try FolderWatcher(folder)
    #expect(try watcher.waitForChange(timeoutMilliseconds: 0) == false)
    #expect(try watcher.waitForChange(timeoutMilliseconds: 20) == false)
    withExtendedLifetime(place) {}
  }

  @Test func `every way a file comes, goes or changes is a change, told once`() throws {
    let (place, folder) = try place()
    let watcher = try FolderWatcher(folder)
    let month = try folder.openDirectory("records/2024" as RelativePath)
    let changes: [() throws -> Void] = [
      { try month.publish([1], as: "b.json") },
      { try month.publish([2], as: "b.json") },
      { try month.move("b.json", to: folder) },
      { try folder.removeFile("b.json", ifUnchangedSince: folder.state(of: "b.json")) },
    ]
    for (number, change) in changes.enumerated() {
      try change()
      #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long), "change \(number)")
      #expect(try watcher.waitForChange(timeoutMilliseconds: 0) == false, "change \(number)")
    }
    #if os(Linux)
      try place.write("rewritten in place", to: "records/2024/a.json")
      #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
    #endif
  }

  @Test func `directories that appear or come in are watched, with what is below them`() throws {
    let (place, folder) = try place()
    let outside = try TestPlace()
    _ = try outside.open().createDirectory("2025/01" as RelativePath)
    let watcher = try FolderWatcher(folder)
    _ = try folder.createDirectory("records/2026/01" as RelativePath)
    #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
    try FileManager.default.moveItem(
      atPath: outside.path + "/2025", toPath: place.path + "/records/2025")
    #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
    for month in ["records/2026/01", "records/2025/01"] {
      try place.write("new", to: month + "/a.json")
      #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long), "\(month)")
    }
  }

  @Test func `a directory that left the folder is no longer watched`() throws {
    let (place, folder) = try place()
    let outside = try TestPlace()
    let watcher = try FolderWatcher(folder)
    try FileManager.default.moveItem(
      atPath: place.path + "/records/2024", toPath: outside.path + "/2024")
    #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
    try outside.open().openDirectory("2024" as FileName).publish([1], as: "b.json")
    #expect(try watcher.waitForChange(timeoutMilliseconds: 0) == false)
  }

  #if os(Linux)
    @Test func `hidden names and our own state are no news`() throws {
      let (place, folder) = try place()
      let own = try folder.createDirectory(".automerge-migrate.nosync/quarantine" as RelativePath)
      let watcher = try FolderWatcher(folder)
      try own.publish([1], as: "manifest.json")
      try place.write("", to: ".minuta.writelock.nosync")
      try folder.stage([1], as: "tags.json").discard()
      #expect(try watcher.waitForChange(timeoutMilliseconds: 0) == false)
    }

    @Test func `after more changes than the system's queue holds something has changed`() throws {
      let (place, folder) = try place()
      let queued = try String(
        contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
      let room = try #require(Int(queued.trimmingCharacters(in: .whitespacesAndNewlines)))
      let watcher = try FolderWatcher(folder)
      // Two names in turn, because equal records that follow one another count once.
      try place.write("", to: "a")
      for number in 0...room {
        try FileManager.default.moveItem(
          atPath: place.path + (number % 2 == 0 ? "/a" : "/b"),
          toPath: place.path + (number % 2 == 0 ? "/b" : "/a"))
      }
      _ = try folder.createDirectory("records/2031/01" as RelativePath)
      #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
      // The announcement of the new directory was lost; it is watched all the same.
      try place.write("new", to: "records/2031/01/a.json")
      #expect(try watcher.waitForChange(timeoutMilliseconds: Self.long))
    }

    @Test func `a signal ends the wait at once`() throws {
      let (place, folder) = try place()
      let asked = Mutex(false)
      // A handler of its own, so that the signal interrupts instead of killing.
      signal(SIGUSR2) { _ in }
      let watcher = try FolderWatcher(folder, isInterrupted: { asked.withLock { $0 } })
      let waiting = pthread_self()
      let helper = Thread {
        asked.withLock { $0 = true }
        pthread_kill(waiting, SIGUSR2)
      }
      helper.start()
      #expect(try watcher.waitForChange(timeoutMilliseconds: nil) == false)
      withExtendedLifetime(place) {}
    }
  #endif

  @Test func `links are not followed`() throws {
    let (place, folder) = try place()
    let outside = try TestPlace()
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/records/link", withDestinationPath: outside.path)
    let watcher = try FolderWatcher(folder)
    try outside.write("", to: "a")
    #expect(try watcher.waitForChange(timeoutMilliseconds: 0) == false)
  }

  @Test func `more directories than may be watched is an error that names the limit`() throws {
    let (place, folder) = try place()
    let error = #expect(throws: FileError.self) { try FolderWatcher(folder, directoryLimit: 2) }
    #expect(error == .watchLimit(path: place.path, limit: "2 directories"))
    #expect(error?.diagnostic.kind == .systemCallFailed)
  }

  @Test func `a folder that is gone is missing`() throws {
    let (place, folder) = try place()
    let watcher = try FolderWatcher(folder)
    try FileManager.default.removeItem(atPath: place.path)
    let error = #expect(throws: FileError.self) {
      while try watcher.waitForChange(timeoutMilliseconds: Self.long) {}
    }
    #expect(error == .missing(path: place.path))
  }
}
