import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct PublishingCrashTests {
  private static let old = String(repeating: "old ", count: 50)
  private static let new = String(repeating: "new! ", count: 70)

  @Test func `dying anywhere while replacing leaves the old file or the new one`() throws {
    let place = try TestPlace()
    try place.write(Self.old, to: "a")
    var seen: Set<String> = []
    let calls = try withFaultAtEveryCall(.stop) { plan in
      try place.write(Self.old, to: "a")
      _ = try? place.open(plan).publish(Array(Self.new.utf8), as: "a")
    } check: { (call) throws in
      let content = try place.read("a")
      seen.insert(content)
      #expect(content == Self.old || content == Self.new, "call \(call)")
      try place.open().sweepTemporaries()
      #expect(try place.names() == ["a"], "call \(call)")
    }
    #expect(calls >= 5, "create, write, synchronize, rename, synchronize")
    #expect(seen == [Self.old, Self.new])
    #expect(try place.read("a") == Self.new)
  }

  @Test func `dying anywhere while creating leaves no file or the whole one`() throws {
    let place = try TestPlace()
    try withFaultAtEveryCall(.stop) { plan in
      if place.exists("a") { try FileManager.default.removeItem(atPath: place.path + "/a") }
      _ = try? place.open(plan).publish(
        Array(Self.new.utf8), as: "a", replacing: .nothing)
    } check: { (call) throws in
      if place.exists("a") { #expect(try place.read("a") == Self.new, "call \(call)") }
      try place.open().sweepTemporaries()
      #expect(try place.names().allSatisfy { $0 == "a" }, "call \(call)")
    }
    #expect(try place.read("a") == Self.new)
  }

  @Test func `any failure but death cleans up at once`() throws {
    for number in [ENOSPC, EIO, EACCES] {
      let place = try TestPlace()
      try withFaultAtEveryCall(.failure(number)) { plan in
        try place.write(Self.old, to: "a")
        do {
          try place.open(plan).publish(Array(Self.new.utf8), as: "a")
          #expect(!plan.hasFired)
        } catch let error as FileError {
          #expect(plan.hasFired)
          switch number {
          case ENOSPC: #expect(error.diagnostic.kind == .inputOutput)
          case EIO: #expect(error.diagnostic.kind == .inputOutput)
          default: #expect(error.diagnostic.kind == .permissionDenied)
          }
          #expect(error.path.hasPrefix(place.path))
        }
      } check: { (call) throws in
        let content = try place.read("a")
        #expect(content == Self.old || content == Self.new, "call \(call)")
        #expect(try place.names() == ["a"], "call \(call)")
      }
    }
  }

  @Test func `signals and short writes change nothing`() throws {
    for fault in [FaultPlan.Fault.interruption, .shortWrite] {
      let place = try TestPlace()
      try withFaultAtEveryCall(fault) { plan in
        try place.write(Self.old, to: "a")
        try place.open(plan).publish(Array(Self.new.utf8), as: "a")
      } check: { (call) throws in
        #expect(try place.read("a") == Self.new, "call \(call)")
        #expect(try place.names() == ["a"], "call \(call)")
      }
    }
  }

  @Test func `dying anywhere in a batch leaves each file old or new`() throws {
    let place = try TestPlace()
    let names = ["a", "b", "c"]
    try withFaultAtEveryCall(.stop) { plan in
      for name in names { try place.write(Self.old, to: name) }
      let folder = try place.open(plan)
      _ = try? StagedFile.publish(
        names.map { name in
          try folder.stage(Array(Self.new.utf8), as: #require(FileName(name)))
        })
    } check: { (call) throws in
      for name in names {
        let content = try place.read(name)
        #expect(content == Self.old || content == Self.new, "call \(call)")
      }
      try place.open().sweepTemporaries()
      #expect(try place.names() == names, "call \(call)")
    }
  }

  @Test func `dying anywhere while moving leaves the file in one place`() throws {
    let place = try TestPlace()
    try withFaultAtEveryCall(.stop) { plan in
      // Again from the start: an empty directory and a file.
      for name in try place.names() where place.exists(name) {
        try FileManager.default.removeItem(atPath: place.path + "/" + name)
      }
      try place.write(Self.old, to: "a")
      let folder = try place.open(plan)
      guard let target = try? folder.createDirectory("d") else { return }
      _ = try? folder.move("a", to: target)
    } check: { (call) throws in
      #expect(place.exists("a") != place.exists("d/a"), "call \(call)")
    }
  }

  @Test func `dying anywhere while appending leaves whole lines before the torn one`() throws {
    let place = try TestPlace()
    try withFaultAtEveryCall(.stop) { plan in
      try place.write("first\n", to: "log")
      _ = try? place.open(plan).appendLine(Array("second".utf8), to: "log")
    } check: { (call) throws in
      let before = try place.read("log")
      #expect("first\nsecond\n".hasPrefix(before) && before.hasPrefix("first\n"), "call \(call)")
      try place.open().appendLine(Array("third".utf8), to: "log")
      #expect(try place.read("log").hasSuffix("\nthird\n"), "call \(call)")
    }
  }
}
