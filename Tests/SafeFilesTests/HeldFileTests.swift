import Foundation
import SafeFiles
import Testing

@Suite struct HeldFileTests {
  private func hold(_ place: TestPlace) throws -> HeldFile {
    try HeldFile.acquire("x", in: place.open(), timeoutSeconds: 0)
  }

  @Test func `what somebody relies on is not removed until he lets go`() throws {
    let place = try TestPlace()
    try place.write("content", to: "x")
    let folder = try place.open()
    let state = try folder.state(of: "x")
    for holders in 1...2 {
      let held = try (1...holders).map { _ in try hold(place) }
      #expect(try !folder.removeFile("x", ifUnchangedSince: state) { false })
      withExtendedLifetime(held) {}
    }
    #expect(try !folder.removeFile("x", ifUnchangedSince: state) { true })
    #expect(try folder.removeFile("x", ifUnchangedSince: state) { false })
    #expect(throws: FileError.missing(path: place.path + "/x")) { _ = try hold(place) }
  }

  @Test func `nobody begins to rely on what is being removed`() throws {
    let place = try TestPlace()
    try place.write("content", to: "x")
    let folder = try place.open()
    let state = try folder.state(of: "x")
    #expect(
      try !folder.removeFile("x", ifUnchangedSince: state) { () throws(FileError) in
        let holder = LockHolder.find(of: state)?.description
        #expect(throws: FileError.lockTimeout(path: place.path + "/x", seconds: 0, holder: holder))
        {
          _ = try hold(place)
        }
        return true
      })
  }

  @Test(arguments: ["removed", "replaced", "written"])
  func `what is held and is not what it was is told`(change: String) throws {
    let place = try TestPlace()
    try place.write("content", to: "x")
    let held = try hold(place)
    try held.requireInPlace()
    let url = URL(filePath: place.path + "/x")
    switch change {
    case "removed": try FileManager.default.removeItem(at: url)
    case "replaced": try Data("content".utf8).write(to: url, options: .atomic)
    default: try place.write("c", to: "x")
    }
    #expect(throws: FileError.self) { try held.requireInPlace() }
    #expect(throws: FileError.self) { _ = try held.reader() }
  }
}
