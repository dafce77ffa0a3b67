package import Diagnostics
import Runs

/// What `migrate-schema` is told: plans, and behind them what their steps are for.
package struct PlanPlaces {
  /// The files of the plans.
  package let plans: [String]
  /// The stream or the folder; folders, where all that is asked is how it stands with each.
  package let sources: NamedFolders
  private let sourceWords: Set<String>
  private let list: String?

  /// Tells plans, which are files, from folders.
  ///
  /// - Parameters:
  ///   - places: the plans, and behind them the source.
  ///   - areSeveral: whether there may be several sources.
  ///   - list: a file that lists folders; all places may be plans then.
  package init(
    _ places: [String], _ areSeveral: Bool, from list: String?, isZeroed: Bool
  ) {
    var start = list == nil ? max(0, places.count - 1) : places.count
    if areSeveral {
      let context = RunContext(command: "migrate-schema")
      while start > 1, Self.isFolder(places[start - 1], context) { start -= 1 }
    }
    plans = Array(places[..<start])
    sources = NamedFolders(Array(places[start...]), from: list, isZeroed: isZeroed)
    sourceWords = Set(places[start...])
    self.list = list
  }

  /// Where nothing is, a folder was meant: whoever opens it says so.
  private static func isFolder(_ place: String, _ context: RunContext) -> Bool {
    // Of what cannot be looked at whoever opens it says why.
    place != "-" && (try? FolderAccess.isFile(place, context: context)) != true
  }

  /// Returns the command that runs the steps for a source whose standing was asked for by some arguments.
  ///
  /// - Parameter consents: the options without which they do not run.
  package func running(
    _ arguments: [String], on source: String, with consents: [String] = []
  ) -> NextCommand {
    let shown: Set = ["--status", "--brief", "--json"]
    var words = arguments.filter { !shown.contains($0) }
    guard sources.areSeveral else { return NextCommand(.migrateSchema, words + consents) }
    words.removeAll { ["-0", "--null"].contains($0) || $0.hasPrefix("--folders-from=") }
    if let option = words.firstIndex(of: "--folders-from") {
      words.removeSubrange(option..<min(words.count, option + 2))
    }
    words.removeAll(where: sourceWords.contains)
    return NextCommand(.migrateSchema, words + consents + [source])
  }
}
