import FileFaults
import Foundation
import Testing

@testable import SafeFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file goes elsewhere and leaves other bytes in its place, and comes back over them: whatever fails,
/// whoever writes and wherever the power goes, its bytes have a name, and its place has a whole file.
@Suite struct LeavingTests {
  private static let original = "entities and settings"
  private static let rest = "settings"
  private static let restHash = ContentHash(of: Array(rest.utf8))

  private func place() throws -> TestPlace {
    let place = try TestPlace()
    _ = try place.open().createDirectory("away" as FileName)
    try place.write(Self.original, to: "a")
    return place
  }

  private func leave(_ place: TestPlace, _ operations: any FileOperations) throws -> FileState? {
    let version = try place.open().version(of: "a")
    let folder = try place.open(operations)
    let state = try folder.move(
      "a", ifStill: version, to: folder.openDirectory("away" as FileName),
      leaving: Array(Self.rest.utf8))
    try folder.synchronize()
    return state
  }

  private func comeBack(_ place: TestPlace, _ operations: any FileOperations) throws -> Bool {
    let folder = try place.open(operations)
    let away = try folder.openDirectory("away" as FileName)
    let isBack = try away.move("a", to: folder, over: Self.restHash)
    try away.synchronize()
    return isBack
  }

  private func content(_ place: TestPlace, _ name: String) -> String? { try? place.read(name) }

  /// A file system on which a file has one name: giving it a second one fails.
  private func withoutLinks(
    back isBack: Bool, _ number: Int32 = EPERM,
    on operations: any FileOperations = SystemFileOperations()
  ) throws -> FaultPlan {
    for call in 1...20 {
      let place = try place()
      if isBack { _ = try leave(place, SystemFileOperations()) }
      let before = try place.open().openDirectory("away" as FileName)
      let inode = try isBack ? before.state(of: "a").inode : place.open().state(of: "a").inode
      let plan = FaultPlan(atCall: call, .failure(EPERM))
      // Where any other call fails nothing moves, or the file itself.
      _ = try? isBack ? comeBack(place, plan) : leave(place, plan) != nil
      let now =
        try isBack ? place.open().state(of: "a") : before.stateIfPresent(of: "a" as FileName)
      guard
        now?.inode == inode || now == nil
          || content(place, isBack ? "a" : "away/a") != Self.original
      else { return FaultPlan(atCall: call, .failure(number), on: operations) }
    }
    throw FileError.missing(path: "the call that gives a second name")
  }

  @Test func `a file leaves something else behind, and takes its place again`() throws {
    let place = try place()
    try place.setMode(0o640, of: "a")
    let inode = try place.open().state(of: "a").inode
    #expect(try leave(place, SystemFileOperations()) != nil)
    #expect(try place.names() == ["a", "away", "away/a"])
    #expect(try place.read("a") == Self.rest && place.read("away/a") == Self.original)
    #expect(try place.mode("a") == 0o640)
    let away = try place.open().openDirectory("away" as FileName).state(of: "a")
    // The file itself went, not a copy: who still writes into it finds it there.
    #expect(away.inode == inode && away.linkCount == 1)

    #expect(try comeBack(place, SystemFileOperations()))
    #expect(try place.names() == ["a", "away"])
    let back = try place.open().state(of: "a")
    #expect(back.inode == inode && back.linkCount == 1)
  }

  @Test func `where files have one name a copy goes and comes`() throws {
    for number in [EPERM, ENOTSUP, EMLINK, EXDEV] {
      let place = try place()
      try place.setMode(0o640, of: "a")
      try place.setModified(FileTime(seconds: 77), of: "a")
      #expect(try leave(place, withoutLinks(back: false, number)) != nil)
      #expect(try place.read("a") == Self.rest && place.read("away/a") == Self.original)
      #expect(try place.mode("away/a") == 0o640)
      #expect(try comeBack(place, withoutLinks(back: true, number)))
      #expect(try place.names() == ["a", "away"] && place.read("a") == Self.original)
      #expect(try place.open().state(of: "a").modified == FileTime(seconds: 77))
    }
  }

  @Test func `a file that is not what was read stays, and so does what has changed since`() throws {
    let place = try place()
    let version = try place.open().version(of: "a")
    let away = try place.open().openDirectory("away" as FileName)
    try place.write("edited", to: "a")
    func leave() throws -> FileState? {
      try place.open().move("a", ifStill: version, to: away, leaving: Array(Self.rest.utf8))
    }
    #expect(try leave() == nil && place.names() == ["a", "away"])
    try FileManager.default.removeItem(atPath: place.path + "/a")
    #expect(try leave() == nil && place.names() == ["away"])
    _ = try place.open().createDirectory("a" as FileName)
    #expect(try leave() == nil && place.names() == ["a", "away"])

    let other = try self.place()
    #expect(try self.leave(other, SystemFileOperations()) != nil)
    try other.write("settings, edited", to: "a")
    #expect(try !comeBack(other, SystemFileOperations()))
    #expect(try other.read("a") == "settings, edited" && other.read("away/a") == Self.original)
    #expect(try other.names() == ["a", "away", "away/a"])
  }

  /// Every name of every file, sweeps of the next run included.
  private func expectWhole(_ place: TestPlace, _ comment: Comment) throws {
    let folder = try place.open()
    #expect(try folder.sweepTemporaries().isEmpty, comment)
    // A copy that was not done lies where it was to go to, and is swept there.
    try folder.openDirectory("away" as FileName).sweepTemporaries()
    let (inPlace, away) = (content(place, "a"), content(place, "away/a"))
    #expect(inPlace == Self.original || inPlace == Self.rest, comment)
    #expect(inPlace == Self.original || away == Self.original, comment)
    #expect(away == nil || away == Self.original, comment)
    let names = try place.names().filter { $0 != "away/a" }
    #expect(names == ["a", "away"], comment)
  }

  @Test(arguments: [
    FaultPlan.Fault.stop, .failure(EIO), .failure(ENOSPC), .failure(EACCES), .interruption,
    .shortWrite,
  ])
  func `after a fault at any call both are whole, and the next run completes it`(
    _ fault: FaultPlan.Fault
  ) throws {
    for calls in [FaultPlan.Calls.changing, .looking] {
      for isCopied in [false, true] {
        var count = 0
        for call in 1... {
          let place = try place()
          let system: any FileOperations =
            try isCopied ? withoutLinks(back: false) : SystemFileOperations()
          let plan = FaultPlan(atCall: call, fault, calls: calls, on: system)
          // What it answers is up to the fault.
          _ = try? leave(place, plan)
          let comment: Comment = "\(fault) at \(calls) call \(call), copied: \(isCopied)"
          try expectWhole(place, comment)
          if content(place, "a") == Self.original {
            try? FileManager.default.removeItem(atPath: place.path + "/away/a")
            #expect(try leave(place, SystemFileOperations()) != nil, comment)
          }
          guard plan.hasFired else { break }
          count += 1
        }
        for call in 1... {
          let place = try place()
          _ = try leave(place, SystemFileOperations())
          let system: any FileOperations =
            try isCopied ? withoutLinks(back: true) : SystemFileOperations()
          let plan = FaultPlan(atCall: call, fault, calls: calls, on: system)
          _ = try? comeBack(place, plan)
          let comment: Comment = "back: \(fault) at \(calls) call \(call), copied: \(isCopied)"
          try expectWhole(place, comment)
          if place.exists("away/a") {
            #expect(try comeBack(place, SystemFileOperations()), comment)
          }
          #expect(content(place, "a") == Self.original, comment)
          #expect(try place.names() == ["a", "away"], comment)
          guard plan.hasFired else { break }
          count += 1
        }
        #expect(count > 10)
      }
    }
  }

  @Test func `wherever the power goes both are whole`() throws {
    var random = TestRandom(seed: 20_240_115)
    var states = 0
    for (isBack, isCopied) in [(false, false), (false, true), (true, false), (true, true)] {
      let place = try place()
      if isBack { _ = try leave(place, SystemFileOperations()) }
      let recorder = try OperationRecorder(root: place.open())
      let operations: any FileOperations =
        try isCopied ? withoutLinks(back: isBack, on: recorder) : recorder
      if isBack {
        #expect(try comeBack(place, operations))
      } else {
        #expect(try leave(place, operations) != nil)
      }
      let recording = recorder.recording
      for step in 0...recording.stepCount {
        for tree in PowerCut(recording, afterSteps: step).states(sampling: 20, using: &random) {
          let after = try TestPlace()
          try tree.write(into: after.open())
          try expectWhole(after, "back: \(isBack), copied: \(isCopied), power cut after \(step)")
          states += 1
        }
      }
    }
    #expect(states > 100)
  }

  @Test(arguments: [false, true])
  func `who puts another file in its place at any instant finds it there or told`(
    isBack: Bool
  ) throws {
    for moment in 1... {
      var isReached = false
      for death in moment + 1...moment + 6 {
        let place = try place()
        if isBack { _ = try leave(place, SystemFileOperations()) }
        let rude = FaultPlan(beforeCall: moment) { try? place.replace("a", with: "theirs") }
        let plan = FaultPlan(atCall: death == moment + 6 ? .max : death, .stop, on: rude)
        let comment: Comment = "back: \(isBack), before call \(moment), death at \(death)"
        _ = try? isBack ? comeBack(place, plan) : leave(place, plan) != nil
        guard rude.hasFired else { break }
        isReached = true
        _ = try place.open().sweepTemporaries()
        let all = try place.names().map { content(place, $0) }
        #expect(all.contains("theirs"), comment)
        // Only he himself can have replaced the original.
        if isBack { #expect(all.contains(Self.original) || all.contains("theirs"), comment) }
      }
      guard isReached else { break }
    }
  }
}
