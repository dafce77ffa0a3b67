import FileFaults
import Foundation
import SafeFiles
import Testing

/// A sync service takes no lock: it puts its version in the place of a file whenever it likes.
@Suite struct MeddlingTests {
  @Test func `whatever moment somebody else writes in, his file stays`() throws {
    var moments = 0
    for call in 1... {
      let place = try TestPlace()
      try place.write("old", to: "a")
      let path = place.path + "/a"
      let plan = FaultPlan(beforeCall: call) {
        try? Data("theirs".utf8).write(to: URL(filePath: path), options: .atomic)
      }
      let folder = try place.open(plan)
      let version = try folder.version(of: "a")
      var isRefused = false
      do {
        try folder.publish(Array("ours".utf8), as: "a", replacing: .unchanged(version))
      } catch FileError.changedSince {
        isRefused = true
      }
      #expect(try place.read("a") == (plan.hasFired ? "theirs" : "ours"), "call \(call)")
      #expect(!isRefused || plan.hasFired, "call \(call)")
      #expect(try place.names() == ["a"], "call \(call)")
      guard plan.hasFired else { break }
      moments += 1
    }
    #expect(moments > 3)
  }

  @Test func `where names cannot be swapped a file is replaced all the same`() throws {
    let place = try TestPlace()
    for number in [EINVAL, ENOSYS, ENOTSUP] {
      var wasReached = false
      for call in 1... {
        try place.write("old", to: "a")
        let plan = FaultPlan(atCall: call, .failure(number))
        let folder = try place.open(plan)
        let version = try folder.version(of: "a")
        // Other calls that fail so do fail.
        let isPublished =
          (try? folder.publish(Array("ours".utf8), as: "a", replacing: .unchanged(version))) != nil
        guard plan.hasFired else { break }
        #expect(try ["old", "ours"].contains(place.read("a")), "call \(call)")
        wasReached = wasReached || isPublished
      }
      #expect(wasReached)
    }
  }
}
