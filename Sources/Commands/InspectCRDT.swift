import ArgumentParser
import CommandLineSupport
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
      .init("what history costs", "inspect-crdt --sizes ~/Documents/Minuta"),
    ],
    note: """
      Every hash is verified before anything is shown. A document that does not verify shows \
      nothing.
      """,
    statuses: [
      .done, .usage, .damagedInput, .missingInput, .systemCallFailed, .inputOutput, .busy,
      .permissionDenied, .conflictsWithData,
    ])

  @Argument(
    help: ArgumentHelp(
      "A document, or - for one on standard input; a folder for views of a folder.",
      valueName: "document"))
  var documents: [String]

  @Flag(exclusivity: .exclusive)
  var view: InspectionView = .tree

  @Flag(exclusivity: .exclusive)
  var folderView: FolderView?

  @Option(
    help: ArgumentHelp(
      "Show the state as of these changes, separated by commas.", valueName: "hashes"))
  var at: String?

  @Flag(help: "Stop at the first document that fails instead of going on.")
  var failFast = false

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { folderView == nil }

  func validate() throws {
    guard let folderView else { return }
    guard documents.count == 1, at == nil, view == .tree else {
      throw ValidationError("--\(folderView.rawValue) takes one folder and no view of a document")
    }
  }

  func perform(_ console: Console) throws {
    switch folderView {
    case .history:
      return console.show(
        try HistoryWorkflow(folder: documents[0], context: console.context()).perform())
    case .sizes:
      return console.show(
        try SizesWorkflow(folder: documents[0], context: console.context()).perform())
    case nil:
      break
    }
    try console.attemptEach(documents, failFast: failFast) { document in
      var options = InspectionOptions(
        source: document == "-" ? .stream(.standardInput) : .file(path: document), view: view,
        sink: console.dataSink)
      options.namesDocument = documents.count > 1
      options.heads = at?.split(separator: ",").map(String.init) ?? []
      try InspectionWorkflow(options).perform()
    }
  }
}
