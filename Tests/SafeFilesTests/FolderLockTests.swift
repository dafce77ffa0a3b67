import Diagnostics
import Foundation
import SafeFiles
import Testing

@Suite struct FolderLockTests {
  private static let name: FileName = ".lock.nosync"

  @Test func `the second one waits and gives up`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let first = try FolderLock.acquire(
      in: folder, name: Self.name, timeoutSeconds: 0, creating: true)
    #expect(first != nil)
    let error = #expect(throws: FileError.self) {
      try FolderLock.acquire(in: folder, name: Self.name, timeoutSeconds: 0.01, creating: true)
    }
    let holder = try LockHolder.find(of: folder.state(of: Self.name))?.description
    #expect(
      error == .lockTimeout(path: place.path + "/.lock.nosync", seconds: 0.01, holder: holder))
    #expect(error?.diagnostic.kind == .busy)
    withExtendedLifetime(first) {}
  }

  @Test func `the lock is free once its holder is gone, and its file stays`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    for _ in 0..<3 {
      let lock = try FolderLock.acquire(
        in: folder, name: Self.name, timeoutSeconds: 0, creating: true)
      #expect(lock != nil)
    }
    #expect(try place.names() == [".lock.nosync"])
  }

  @Test func `everybody may lock, whatever the umask`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    _ = try FolderLock.acquire(in: folder, name: Self.name, timeoutSeconds: 0, creating: true)
    #expect(try place.mode(".lock.nosync") == 0o666)
  }

  @Test func `who only locks what exists creates nothing`() throws {
    let place = try TestPlace()
    let lock = try FolderLock.acquire(
      in: place.open(), name: Self.name, timeoutSeconds: 0, creating: false)
    #expect(lock == nil)
    #expect(try place.names().isEmpty)
  }

  @Test func `a link in the place of the lock is refused`() throws {
    let place = try TestPlace()
    try place.write("", to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/.lock.nosync", withDestinationPath: "elsewhere")
    #expect(throws: FileError.self) {
      try FolderLock.acquire(in: place.open(), name: Self.name, timeoutSeconds: 0, creating: true)
    }
  }
}

#if os(Linux)
  @Suite struct LockHolderTests {
    private static let name: FileName = ".lock.nosync"

    @Test func `who holds a lock is found, and nobody once it is free`() throws {
      let place = try TestPlace()
      let folder = try place.open()
      let lock = try FolderLock.acquire(
        in: folder, name: Self.name, timeoutSeconds: 0, creating: true)
      let state = try folder.state(of: Self.name)
      let holder = try #require(LockHolder.find(of: state))
      #expect(holder.processNumber == ProcessInfo.processInfo.processIdentifier)
      let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8).dropLast()
      #expect(holder.description == "\(name) (process \(holder.processNumber))")
      withExtendedLifetime(lock) {}
    }

    @Test func `nobody holds what is free`() throws {
      let place = try TestPlace()
      try place.write("", to: ".lock.nosync")
      #expect(try LockHolder.find(of: place.open().state(of: Self.name)) == nil)
    }

    @Test func `a wait is told once, when it takes long`() throws {
      let place = try TestPlace()
      let folder = try place.open()
      let lock = try FolderLock.acquire(
        in: folder, name: Self.name, timeoutSeconds: 0, creating: true)
      var waits: [LockWait] = []
      for seconds in [0.2, 0.9] {
        #expect(throws: FileError.self) {
          try FolderLock.acquire(
            in: folder, name: Self.name, timeoutSeconds: seconds, creating: true,
            telling: { waits.append($0) })
        }
      }
      #expect(waits.count == 1)
      let wait = try #require(waits.first)
      #expect(wait.path == place.path + "/.lock.nosync")
      #expect(wait.holder != nil)
      #expect((0..<0.41).contains(wait.secondsLeft))
      withExtendedLifetime(lock) {}
    }
  }
#endif
