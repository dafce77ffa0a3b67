import Automerge
import Foundation

/// Plays sessions, makes failing ones small, and tells about them.
struct SessionRun {
  let seed: UInt64
  var size: Session.Size
  /// Whether to print what happens at once.
  var isTold = false

  /// Most sessions are small; one in two hundred is large enough to fill many pages.
  init(seed: UInt64) {
    self.init(seed: seed, size: seed % 200 == 199 ? .large : .small)
  }

  init(seed: UInt64, size: Session.Size) {
    self.seed = seed
    self.size = size
  }

  /// Plays the session once.
  ///
  /// - Returns: the session as far as it came, and what stopped it.
  func play(skipping skipped: Set<Int> = []) -> (session: Session, failure: (any Error)?) {
    var session = Session(seed: seed, size: size)
    session.isTold = isTold
    do {
      try session.run(skipping: skipped)
      return (session, nil)
    } catch {
      return (session, error)
    }
  }

  /// Plays the session and returns the report of its failure, nil if all went well.
  func report() throws -> String? {
    let (session, failure) = play()
    if let folder = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SESSION_DOCUMENTS"] {
      try session.write(to: URL(filePath: folder))
    }
    guard let failure else { return nil }
    var quiet = self
    quiet.isTold = false
    let skipped = quiet.smallest()
    let (shortest, last) = quiet.play(skipping: skipped)
    let steps = (0..<size.steps).filter { !skipped.contains($0) }
    return """
      seed \(seed): \(failure)
      smallest: \(last.map { "\($0)" } ?? "none")
      with the steps \(steps):
      \(shortest.trace.joined(separator: "\n"))
      """
  }

  /// Returns steps without which the session still fails: leaves out half of them, then
  /// quarters, down to single ones.
  private func smallest() -> Set<Int> {
    var skipped: Set<Int> = []
    var length = size.steps
    var playsLeft = 400
    while length > 0 {
      for start in stride(from: 0, to: size.steps, by: length) {
        let less = skipped.union(start..<min(start + length, size.steps))
        guard less.count > skipped.count, playsLeft > 0 else { continue }
        playsLeft -= 1
        if play(skipping: less).failure != nil { skipped = less }
      }
      length /= 2
    }
    return skipped
  }
}

extension Session {
  /// Writes the documents of all replicas into a folder, for other tools to check.
  func write(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, replica) in replicas.enumerated() {
      try replica.document.save()
        .write(to: folder.appending(path: "session-\(seed)-\(index).automerge"))
    }
  }
}
