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
    #expect(error == .lockTimeout(path: place.path + "/.lock.nosync", seconds: 0.01))
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
