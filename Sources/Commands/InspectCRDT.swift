import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct InspectCRDT: Tool {
  static let help = HelpText(
    "inspect-crdt", "Show what a document holds, now or at any point in its history",
    examples: [
      .init("the state as a tree", "inspect-crdt ~/Documents/Minuta/tags.automerge"),
      .init(
        "verify every document of a folder",
        "find . -name '*.automerge' -print0 | xargs -0 inspect-crdt --check"),
      .init("what was done to a folder", "inspect-crdt --history ~/Documents/Minuta"),
      .init(
        "what was done to a store, by its app, too",
        "inspect-crdt --history default.store --preferences com.example.app.plist"),
      .init("what history costs", "inspect-crdt --sizes ~/Documents/Minuta"),
      .init("what another one shows instead", "inspect-crdt tags.automerge --compare COPY"),
      .init("what an app's data is, as a file", "inspect-crdt --print-profile minuta"),
      .init("a start for one of your own", "inspect-crdt --profile-from FOLDER > app.json"),
      .init("what a store says of itself", "inspect-crdt --profile-from default.store > app.json"),
    ],
    note: """
      Every hash is verified before anything is shown. A document that does not verify shows \
      nothing.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .inputOutput,
      .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "Documents, or - for one on standard input; folders for views of a folder; for --history also "
        + "a store, and after it the folder that it was imported into; a name or file for "
        + "--print-profile.",
      valueName: "document"), completion: .file())
  var documents: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false
  @Flag(exclusivity: .exclusive) var view: InspectionView = .tree
  @Flag(exclusivity: .exclusive) var otherView: OtherView?

  @Option(
    help: ArgumentHelp(
      "Show the state as of these changes, separated by commas; their first digits will do.",
      valueName: "hashes"))
  var at: String?

  @Option(help: .comparedDocument, completion: .file()) var compare: String?
  @Option(help: .profile, completion: .profiles) var profile: String?

  @Option(
    help: ArgumentHelp(
      "The preferences of the app of a store, a property list: --history tells what it says.",
      valueName: "file"), completion: .file())
  var preferences: String?

  @Flag(help: "Stop at the first document that fails instead of going on.") var failFast = false

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { otherView != .history && otherView != .sizes && compare == nil }

  private var named: NamedFolders { .init(documents, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    if preferences != nil && otherView != .history {
      throw ValidationError("--preferences goes with --history")
    }
    if profile != nil && otherView != .sizes {
      throw ValidationError("--profile goes with --sizes")
    }
    if at?.allSatisfy({ $0 == "," }) ?? false {
      throw ValidationError("--at takes the hashes of changes, or their first digits: none given")
    }
    let hasView = at != nil || view != .tree
    let isTwice = compare == "-" && documents == ["-"]
    if compare != nil, documents.count != 1 || isTwice || hasView || otherView != nil {
      throw ValidationError("--compare takes one document beside the other, and no view of it")
    }
    if let otherView, otherView.isOfFolders {
      try named.require()
    } else {
      try named.requireNoList("--folders-from and --null go with --history and --sizes")
    }
    guard let otherView else {
      if documents.isEmpty { throw ValidationError("missing expected argument '<document> ...'") }
      return
    }
    if hasView || !otherView.takes(documents.count) { throw ValidationError(otherView.usage) }
  }

  func perform(_ console: Console) throws {
    switch otherView {
    case .history:
      let view = HistoryView(of: named, preferences: preferences)
      return try view.show(on: console, failFast: failFast)
    case .sizes:
      return try console.read(named, failFast: failFast) { folder in
        let context = try console.context(profile: profile)
        console.show(try SizesWorkflow(folder: folder, context: context).perform())
      }
    case .printProfile: return try console.write(Profile(nameOrFile: documents[0]).file)
    case .profileSchema: return try console.write(Profile.schema)
    case .profileFrom:
      let report = try ProposalWorkflow(folder: documents[0], context: console.context()).perform()
      try console.write(report.proposal.file)
      return console.show(report)
    case nil: break
    }
    if let compare {
      let workflow = ComparisonWorkflow(.named(documents[0]), with: .named(compare))
      return console.show(try workflow.perform())
    }
    try console.attemptEach(documents, failFast: failFast) { document in
      var options = InspectionOptions(
        source: .named(document), view: view, sink: console.dataSink)
      options.namesDocument = documents.count > 1
      options.heads = at?.split(separator: ",").map(String.init) ?? []
      try InspectionWorkflow(options).perform()
    }
  }
}
