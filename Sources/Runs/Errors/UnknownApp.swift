package import Diagnostics
package import Folders

/// A folder that holds what may be data, and nothing of the app that a profile describes.
package struct UnknownApp: Hashable, Sendable {
  /// How many patterns a message names.
  private static let mostPatterns = 3

  /// The folder, as it was given.
  package var path: String
  /// A file in it that may hold data.
  package var file: String
  /// The name of the profile that was given; nil if none was.
  private var profile: String?
  /// Where the profile has data, or by what it knows its folders.
  private var patterns: [String]
  private var isByRecognition: Bool
  /// What handles the folders in it that are the app's.
  package var inside: [NextCommand] = []

  /// Says that a profile does not know a folder.
  package init(
    path: String, file: String, as kinds: EntityKinds, by evidence: FolderInventory.Evidence
  ) {
    self.path = path
    self.file = file
    profile = kinds.toldName
    let recognition = profile == nil || evidence == .anyKind ? [] : kinds.profile.recognition
    isByRecognition = !recognition.isEmpty
    patterns =
      profile == nil
      ? []
      : (isByRecognition ? recognition : kinds.profile.kinds.flatMap { $0.home?.paths ?? [] })
        .map(\.description)
  }

  package var diagnostic: Diagnostic {
    let draft =
      "inspect-crdt --profile-from \(ShellWord.quoting(path.hasPrefix("-") ? "./\(path)" : path))"
      + " drafts one"
    var remedy: String
    let problem: String
    if let profile {
      problem =
        isByRecognition
        ? "the profile \"\(profile)\" knows its folders by \(named), and nothing here is that"
        : "the profile \"\(profile)\" does not know this folder: \(file) is nowhere where it has "
          + "data\(patterns.isEmpty ? "" : " (\(named))")"
      remedy = "give the profile of the app whose folder this is with --profile FILE; \(draft)"
    } else {
      problem = "no built-in profile knows this folder: \(file) is nowhere where Minuta has data"
      remedy =
        "say what its data is with --profile FILE (--profile minuta, if it is Minuta's); \(draft)"
    }
    if let first = inside.first {
      let more = inside.count - 1
      remedy =
        "\(first.shellText)\(more > 0 ? " or one of \(more.grouped) more in it" : ""), which the "
        + "profile knows; or \(remedy)"
    }
    return Diagnostic(
      .conflictsWithData, subject: path, problem: problem, remedy: remedy, command: inside.first)
  }

  private var named: String {
    let rest = patterns.count - Self.mostPatterns
    return patterns.prefix(Self.mostPatterns).joined(separator: ", ")
      + (rest > 0 ? " and \(rest.grouped) more" : "")
  }
}
