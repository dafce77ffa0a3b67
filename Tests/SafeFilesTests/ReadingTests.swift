import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@Suite struct ReadingTests {
  @Test func `the buffer holds exactly the file whatever it held before`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    var buffer: [UInt8] = []
    for text in ["a longer text", "", "short", String(repeating: "long ", count: 10_000), "x"] {
      try place.write(text, to: "f")
      let state = try folder.read("f", into: &buffer)
      #expect(buffer == Array(text.utf8))
      #expect(state.size == text.utf8.count)
    }
  }

  @Test func `a listed file is read the same, at rest with one state, else with two`() throws {
    let place = try TestPlace()
    var buffer: [UInt8] = []
    let texts = [
      "", "x", "a longer text", String(repeating: "long ", count: 1_000), "short",
      String(repeating: "longer ", count: 2_500),
    ]
    for (number, text) in texts.enumerated() { try place.write(text, to: "f\(number)") }
    for isAtRest in [true, false] {
      for (number, text) in texts.enumerated() {
        let name = try #require(FileName("f\(number)"))
        let plan = FaultPlan(atCall: .max, .stop, calls: .looking)
        let folder = try place.open(plan)
        let opening = plan.callCount
        var files = FilesAtRest()
        var state = try folder.readListed(
          name, into: &buffer, limit: 20_000, like: &files, before: isAtRest ? .max : .min)
        #expect(buffer == Array(text.utf8))
        #expect(state.size == text.utf8.count && state.kind == .regular)
        // Besides closing it: a file at rest takes three, and another one all of `read` behind them.
        let calls = plan.callCount - opening
        #expect(calls == (text.utf8.count < 4_096 ? isAtRest ? 3 : 7 : 6), "\(number)")
        // What was not at rest is not tried twice, nor what is too long, and there is room for the rest.
        let before = plan.callCount
        state = try folder.readListed(
          name, into: &buffer, limit: 20_000, like: &files, before: isAtRest ? .max : .min)
        #expect(buffer == Array(text.utf8) && state.size == text.utf8.count)
        let isTried = isAtRest && text.utf8.count < 16_384
        #expect(plan.callCount - before == (isTried ? 3 : 4), "\(number)")
      }
      let folder = try place.open()
      #expect(throws: FileError.tooLarge(path: place.path + "/f3", size: 5_000, limit: 4_999)) {
        var files = FilesAtRest()
        _ = try folder.readListed("f3", into: &buffer, limit: 4_999, like: &files)
      }
      #expect(throws: FileError.tooLarge(path: place.path + "/f4", size: 5, limit: 4)) {
        var files = FilesAtRest()
        _ = try folder.readListed("f4", into: &buffer, limit: 4, like: &files)
      }
    }
  }

  @Test func `a time that is set back hides no change`() throws {
    let place = try TestPlace()
    let old = FileTime(seconds: 1_000_000_000, nanoseconds: 0)
    for call in 1...12 {
      try place.write("old", to: "f")
      try place.setModified(old, of: "f")
      let version = try place.open().version(of: "f")
      let plan = FaultPlan(beforeCall: call, calls: .looking) {
        // In its place, as long as before and with the time of before.
        FileHandle(forUpdatingAtPath: place.path + "/f")?.write(Data("new".utf8))
        try? place.setModified(old, of: "f")
      }
      let folder = try place.open(plan)
      var buffer: [UInt8] = []
      let wasRead = (try? folder.read("f", into: &buffer)) != nil
      if plan.hasFired, wasRead {
        #expect(try String(decoding: buffer, as: UTF8.self) == place.read("f"), "call \(call)")
      }
      // As above: at any of its calls, of which there may be fewer.
      try place.write("old", to: "f")
      try place.setModified(old, of: "f")
      let looking = FaultPlan(beforeCall: call, calls: .looking) {
        FileHandle(forUpdatingAtPath: place.path + "/f")?.write(Data("new".utf8))
        try? place.setModified(old, of: "f")
      }
      var hasher = ContentHasher()
      let directory = try place.open(looking)
      let isStill = (try? hasher.isStill(version, "f", in: directory)) ?? false
      if looking.hasFired { #expect(!isStill, "call \(call)") }
    }
  }

  @Test func `whatever moment somebody writes in, the state is that of the bytes`() throws {
    let place = try TestPlace()
    let names: [FileName] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    for name in names { try place.write("old", to: name.description) }
    let restTime = WallClock.now().seconds + 1
    while WallClock.now().seconds < restTime { usleep(10_000) }
    var moments = 0
    for name in names {
      // In its place and as long as before, so that only times tell.
      let path = place.path + "/\(name)"
      let plan = FaultPlan(beforeCall: moments + 1, calls: .looking) {
        FileHandle(forUpdatingAtPath: path)?.write(Data("new".utf8))
      }
      var buffer: [UInt8] = []
      let folder = try place.open(plan)
      var files = FilesAtRest()
      let read = try? folder.readListed(
        name, into: &buffer, limit: 9, like: &files, before: restTime)
      if try read?.isUnchanged(since: folder.state(of: name)) ?? false {
        #expect(try String(decoding: buffer, as: UTF8.self) == place.read("\(name)"), "\(moments)")
      }
      guard plan.hasFired else { break }
      moments += 1
    }
    #expect(moments > 3)
  }

  #if os(Linux)
    @Test func `reading leaves no trace in the folder`() throws {
      let place = try TestPlace()
      try place.write("text", to: "f")
      // Read longer ago than written, the time of reading is one that a system would renew.
      let longAgo = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
      for name in ["f", "."] {
        let times = [longAgo, timespec(tv_sec: time(nil), tv_nsec: 0)]
        // SAFETY: the times outlive the call.
        #expect(unsafe utimensat(AT_FDCWD, place.path + "/" + name, times, 0) == 0)
      }
      let folder = try place.open()
      #expect(try folder.contents(of: "f" as FileName) == Array("text".utf8))
      var hasher = ContentHasher()
      #expect(try hasher.hash("f", in: folder).hash == ContentHash(of: Array("text".utf8)))
      #expect(try folder.entries().map(\.name) == ["f"])
      for name in ["f", "."] {
        var state = stat()
        // SAFETY: stat fills the structure it is given.
        #expect(unsafe stat(place.path + "/" + name, &state) == 0)
        #expect(state.st_atim.tv_sec == longAgo.tv_sec, "\(name)")
      }
    }
  #endif

  @Test func `a file above the limit is refused before it is read`() throws {
    let place = try TestPlace()
    try place.write("12345", to: "f")
    let folder = try place.open()
    #expect(try folder.contents(of: "f" as FileName, limit: 5).count == 5)
    #expect(throws: FileError.tooLarge(path: place.path + "/f", size: 5, limit: 4)) {
      try folder.contents(of: "f" as FileName, limit: 4)
    }
  }

  @Test func `a link is not followed`() throws {
    let place = try TestPlace()
    try place.write("secret", to: "f")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link", withDestinationPath: "f")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/up", withDestinationPath: "..")
    let folder = try place.open()
    #expect(
      throws: FileError.wrongKind(
        path: place.path + "/link", expected: .regular, found: .symbolicLink)
    ) { try folder.contents(of: "link" as FileName) }
    #expect(
      throws: FileError.wrongKind(
        path: place.path + "/up", expected: .directory, found: .symbolicLink)
    ) { try folder.openDirectory("up" as FileName) }
    #expect(throws: FileError.self) { try folder.contents(of: "up/f" as RelativePath) }
    #expect(try folder.target(ofLink: "up") == Array("..".utf8))
  }

  @Test func `a named pipe nobody writes to is refused at once`() throws {
    let place = try TestPlace()
    // SAFETY: the path is lent for the call only.
    #expect(unsafe mkfifo(place.path + "/pipe", 0o600) == 0)
    #expect(
      throws: FileError.wrongKind(
        path: place.path + "/pipe", expected: .regular, found: .namedPipe)
    ) { try place.open().contents(of: "pipe" as FileName) }
  }

  @Test func `what is missing says so`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    #expect(throws: FileError.missing(path: place.path + "/f")) {
      try folder.contents(of: "f" as FileName)
    }
    #expect(try folder.stateIfPresent(of: "f" as FileName) == nil)
    #expect(try folder.stateIfPresent(of: "d/f" as RelativePath) == nil)
    #expect(FileError.missing(path: "f").diagnostic.kind == .missingInput)
  }

  @Test(arguments: [0, 1, 5000])
  func `a file is opened, looked at, read, and looked at again, with a call each`(size: Int) throws
  {
    let place = try TestPlace()
    try place.write(String(repeating: "x", count: size), to: "f")
    let calls = FaultPlan(atCall: .max, .stop, calls: .looking)
    let folder = try place.open(calls)
    let before = calls.callCount
    #expect(try folder.contents(of: "f" as FileName).count == size)
    #expect(calls.callCount - before == 4)
    var hasher = ContentHasher()
    _ = try hasher.hash("f", in: folder)
    #expect(calls.callCount - before == 8)
  }

  #if os(Linux)
    @Test func `a file that has other bytes than its size says is changing`() throws {
      // The files of /proc claim to be empty: reading one more byte than the size finds it out.
      let process = try Directory.open(path: "/proc/self")
      #expect(throws: FileError.changedWhileRead(path: "/proc/self/status")) {
        try process.contents(of: "status" as FileName)
      }
    }
  #endif

  @Test func `a written file is not the one it was`() throws {
    let place = try TestPlace()
    try place.write("one", to: "f")
    let folder = try place.open()
    let before = try folder.state(of: "f")
    #expect(try folder.state(of: "f").isUnchanged(since: before))
    try folder.publish(Array("two".utf8), as: "f")
    #expect(try !folder.state(of: "f").isUnchanged(since: before))
  }

  @Test func `a part is read into the middle of a buffer`() throws {
    let place = try TestPlace()
    try place.write("abc", to: "f")
    var buffer = [UInt8](repeating: 9, count: 6)
    let folder = try place.open()
    #expect(try folder.read("f", into: &buffer, at: 1, count: 4) == 3)
    #expect(buffer == [9, 97, 98, 99, 9, 9])
    #expect(try folder.read("f", into: &buffer, at: 0, count: 2) == 2)
    #expect(buffer == [97, 98, 98, 99, 9, 9])
  }

  @Test func `a reader gives pieces until the end`() throws {
    let place = try TestPlace()
    try place.write("abcdefg", to: "f")
    let reader = try place.open().openForReading("f")
    var buffer = [UInt8](repeating: 0, count: 3)
    var pieces: [String] = []
    while true {
      let count = try reader.read(into: &buffer)
      pieces.append(String(decoding: buffer[..<count], as: UTF8.self))
      if count < buffer.count { break }
    }
    #expect(pieces == ["abc", "def", "g"])
    try reader.seek(to: 5)
    #expect(try reader.readSome(into: &buffer, at: 1..<3) == 2)
    #expect(buffer == Array("gfg".utf8))
  }

  @Test func `a listing is complete, sorted by bytes and knows what is what`() throws {
    let place = try TestPlace()
    for name in ["b", "a b", "a", ".hidden", "B", "é"] { try place.write("", to: name) }
    let folder = try place.open()
    _ = try folder.createDirectory("dir")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link", withDestinationPath: "nowhere")
    let entries = try folder.entries()
    #expect(
      entries.map(\.name.description) == [".hidden", "B", "a", "a b", "b", "dir", "link", "é"])
    #expect(entries.map(\.kind.rawValue) == [0, 0, 0, 0, 0, 1, 2, 0])
    #expect(try folder.entries() == entries, "a listing can be repeated")
  }

  #if os(Linux)
    @Test func `a name that is no UTF-8 is listed, read and replaced as it is`() throws {
      let place = try TestPlace()
      let folder = try place.open()
      let name = try #require(FileName([0x66, 0xff, 0x0a]))
      try folder.publish([1], as: name)
      try folder.publish([2], as: name)
      #expect(try folder.entries().map(\.name) == [name])
      #expect(try folder.contents(of: name) == [2])
      #expect(folder.path(of: name) == place.path + "/f\\xff\\n")
    }
  #endif

  @Test func `a directory knows what it lies in by identity`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let inner = try folder.createDirectory("a/b" as RelativePath)
    #expect(try inner.isInside(folder))
    #expect(try folder.isInside(folder))
    #expect(try !folder.isInside(inner))
    let sibling = try folder.createDirectory("ab")
    #expect(try !sibling.isInside(folder.openDirectory("a" as FileName)))
  }

  @Test func `the free space and the real path are known`() throws {
    let place = try TestPlace()
    #expect(try place.open().freeSpace() > 0)
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link", withDestinationPath: ".")
    let real = try Directory.open(path: place.path).canonicalPath()
    #expect(try Directory.open(path: place.path + "/link").canonicalPath() == real)
  }

  @Test func `a directory that cannot be opened is not something else in its place`() throws {
    let place = try TestPlace()
    for number in [ELOOP, ENOTDIR] {
      let plan = FaultPlan(atCall: 1, .failure(number), calls: .openingDirectories)
      #expect(throws: FileError.system(path: place.path, action: .open, number: number)) {
        try Directory.openTarget(path: place.path, operations: plan)
      }
    }
    try place.write("", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/loop", withDestinationPath: "loop")
    for name in ["file", "loop"] {
      let error = #expect(throws: FileError.self) {
        try Directory.openTarget(path: "\(place.path)/\(name)")
      }
      guard case .inTheWay? = error else { Issue.record("\(name)"); continue }
    }
  }

  @Test func `a path of the user's is split at its last name`() throws {
    let place = try TestPlace()
    let (directory, name) = try Directory.openParent(ofPath: place.path + "/new.tar")
    #expect(directory.path == place.path)
    #expect(name == "new.tar")
    #expect(try Directory.openParent(ofPath: place.path + "/dir/").name == "dir")
    #expect(throws: FileError.self) { try Directory.openParent(ofPath: "..") }
    #expect(throws: FileError.self) { try Directory.open(path: "") }
    #expect(throws: FileError.self) { try Directory.open(path: "a\0b") }
  }
}
