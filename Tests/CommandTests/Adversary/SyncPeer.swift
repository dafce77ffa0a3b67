import Foundation
import Synchronization

/// A sync service between two replicas of a folder: it takes no lock, knows nothing of commands, and
/// carries over whatever it sees whenever it sees it.
///
/// What changed on one side gets the place of the other's by a rename, what changed on both sides
/// stays as a conflict copy, what is gone on one side goes on the other. Names that end with
/// `.nosync` are not its business. It loses nothing itself: what it takes away is what it carried
/// over before, or it goes back.
final class SyncPeer: Sendable {
  /// How often what was carried over.
  struct Counts: Sendable {
    var files = 0
    var deletions = 0
    var conflicts = 0
  }

  private struct State {
    /// What both sides had when they were last the same.
    var last: [String: Data] = [:]
    var counts = Counts()
    var number = 0
    var isStopped = true
  }

  private let sides: [URL]
  private let state = Mutex(State())
  private let thread = DispatchQueue(label: "sync peer")

  init(between one: URL, and other: URL) { sides = [one, other] }

  var counts: Counts { state.withLock { $0.counts } }

  /// Begins to look at both sides again and again.
  func start() {
    state.withLock { $0.isStopped = false }
    thread.async { [self] in
      while !state.withLock({ $0.isStopped }) {
        synchronize()
        usleep(1_000)
      }
    }
  }

  /// Finishes the look it is at.
  func stop() {
    state.withLock { $0.isStopped = true }
    thread.sync {}
  }

  /// Looks at every file once.
  private func synchronize() {
    let paths = Set(sides.flatMap(Self.files)).union(state.withLock { $0.last.keys })
    for path in paths.sorted() {
      let now = sides.map { FileManager.default.contents(atPath: $0.path + "/" + path) }
      let before = state.withLock { $0.last[path] }
      if now[0] == now[1] {
        state.withLock { $0.last[path] = now[0] }
      } else if now[1] == before {
        carry(now[0], to: sides[1], path, over: before)
      } else if now[0] == before {
        carry(now[1], to: sides[0], path, over: before)
      } else if let first = now[0], let second = now[1] {
        keepBoth(first, second, path)
      } else {
        // Changed on one side and gone on the other: it is there again.
        let missing = now[0] == nil ? 0 : 1
        carry(now[1 - missing], to: sides[missing], path, over: nil)
      }
    }
  }

  /// Puts what one side has into the place of what the other had before.
  private func carry(_ new: Data?, to side: URL, _ path: String, over old: Data?) {
    let target = side.path + "/" + path
    if let old, !takeAway(old, at: target) { return }
    if let new {
      guard place(new, at: target) else { return }
      state.withLock { $0.counts.files += 1 }
    } else {
      state.withLock { $0.counts.deletions += 1 }
    }
    state.withLock { $0.last[path] = new }
  }

  private func keepBoth(_ first: Data, _ second: Data, _ path: String) {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    let name = URL(filePath: path)
    let suffix = name.pathExtension.isEmpty ? "" : "." + name.pathExtension
    let copy = String(path.dropLast(suffix.count)) + " (conflicted copy \(number))" + suffix
    // Only what has a place is taken from the one it had.
    guard place(second, at: sides[0].path + "/" + copy),
      takeAway(second, at: sides[1].path + "/" + path)
    else { return }
    _ = place(first, at: sides[1].path + "/" + path)
    state.withLock { state in
      state.last[path] = first
      state.counts.conflicts += 1
    }
  }

  // MARK: Files

  /// Removes a file if it still holds these bytes; whoever wrote meanwhile gets the place back.
  private func takeAway(_ bytes: Data, at path: String) -> Bool {
    let away = temporary(beside: path)
    // SAFETY: the paths outlive the calls, which keep no pointer.
    guard unsafe rename(path, away) == 0 else { return false }
    if FileManager.default.contents(atPath: away) == bytes { return unsafe unlink(away) == 0 }
    // SAFETY: as above.
    if unsafe link(away, path) == 0 { _ = unsafe unlink(away) }
    return false
  }

  /// Gives bytes a name that is free.
  private func place(_ bytes: Data, at path: String) -> Bool {
    let staged = temporary(beside: path)
    let parent = URL(filePath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try bytes.write(to: URL(filePath: staged))
    } catch {
      // Its directory is on its way somewhere else: the next look sees what became of it.
      return false
    }
    // SAFETY: the paths outlive the calls, which keep no pointer.
    defer { _ = unsafe unlink(staged) }
    // SAFETY: as above.
    return unsafe link(staged, path) == 0
  }

  /// A name that no sync service carries over and no command takes for its own.
  private func temporary(beside path: String) -> String {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    return URL(filePath: path).deletingLastPathComponent().path + "/.sync-\(number).nosync"
  }

  private static func files(of side: URL) -> [String] {
    let paths = FileManager.default.enumerator(atPath: side.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { path in
      let isOurs = path.split(separator: "/").contains { $0.hasSuffix(".nosync") }
      // What is gone by now is seen by the next look.
      let attributes = try? FileManager.default.attributesOfItem(atPath: side.path + "/" + path)
      return !isOurs && attributes?[.type] as? FileAttributeType == .typeRegular
    }
  }
}
