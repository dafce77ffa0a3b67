import Foundation
import SafeFiles
import Testing

@testable import Backups

@Suite struct ContentHasherTests {
  @Test func `a file has the hash of its bytes, however long it is`() throws {
    let place = try BackupPlace()
    var hasher = ContentHasher()
    for count in [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 5 << 19] {
      let text = String(repeating: "0123456789abcdef-", count: count / 17 + 1).prefix(count)
      try place.write(String(text), to: "file")
      let directory = try Directory.open(path: place.folderPath)
      let (hash, state) = try hasher.hash("file", in: directory)
      #expect(hash == ContentHash(of: Array(text.utf8)))
      #expect(state.size == Int64(count))
    }
  }

  @Test func `what is no file is not hashed`() throws {
    let place = try BackupPlace()
    try place.write("", to: "directory/file")
    var hasher = ContentHasher()
    #expect(throws: FileError.self) {
      _ = try hasher.hash("directory", in: Directory.open(path: place.folderPath))
    }
  }
}
