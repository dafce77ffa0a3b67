import SafeFiles

// How a folder would be recognised as that of the app.
extension ProfileProposer {
  /// Adds the patterns of files that show whose folder it is, where those of the kinds do not: `*.json`
  /// is what any app may have. Where all of them tell, or none, nothing is added.
  static func recognizing(_ profile: Profile, _ comments: inout ProfileComments) -> Profile {
    let patterns = profile.kinds.flatMap { $0.home?.paths ?? [] }
    let telling = patterns.filter(\.isTelling)
    guard !telling.isEmpty, telling.count < patterns.count else { return profile }
    do throws(ProfileDefect) {
      let recognized = try Profile(
        name: profile.name, version: profile.version, description: profile.description,
        lock: profile.lock, recognition: Array(telling.prefix(Profile.largestPathCount)),
        identifiers: profile.identifiers, branches: profile.branches, kinds: profile.kinds)
      comments.profile? +=
        " The patterns of recognizedBy have names in them; those of other kinds may match the files of "
        + "any app."
      return recognized
    } catch {
      // One pattern too many for the limits: people can add some.
      return profile
    }
  }
}

// What the app locks.
extension ProfileProposer {
  /// Adds the lock, where one file looks like it.
  static func locking(
    _ locks: [FileName], _ profile: Profile, _ comments: inout ProfileComments
  ) -> Profile {
    guard locks.count == 1, let lock = locks.first else { return profile }
    do throws(ProfileDefect) {
      let locking = try Profile(
        name: profile.name, version: profile.version, description: profile.description, lock: lock,
        recognition: profile.recognition, kinds: profile.kinds)
      comments.profile? +=
        " The file of lock is empty and is called so; whether the app locks it nobody sees."
      return locking
    } catch {
      // What is our own or a file of a kind is no lock.
      return profile
    }
  }
}

extension PathPattern {
  /// The fewest letters in a row that are a name.
  private static let shortestName = 3

  /// Whether a pattern has a name in it, besides the extension.
  fileprivate var isTelling: Bool {
    parts.indices.contains { index in
      guard case .name(var atoms) = parts[index] else { return false }
      if index == parts.count - 1 { atoms.removeLast(min(atoms.count, ".json".utf8.count)) }
      var letters = 0
      return atoms.contains { atom in
        guard case .byte(let range) = atom, range.count == 1,
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= range.lowerBound | 0x20
            || range.lowerBound >= 0x80
        else {
          letters = 0
          return false
        }
        letters += 1
        return letters == Self.shortestName
      }
    }
  }
}
