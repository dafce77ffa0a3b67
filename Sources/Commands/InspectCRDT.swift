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
      .init("what history costs", "inspect-crdt --sizes ~/Documents/Minuta"),
      .init("what an app's data is, as a file", "inspect-crdt --print-profile minuta"),
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
      "A document, or - for one on standard input; a folder for views of a folder; a name or file "
        + "for --print-profile.",
      valueName: "document"))
  var documents: [String] = []

  @Flag(exclusivity: .exclusive)
  var view: InspectionView = .tree

  @Flag(exclusivity: .exclusive)
  var folderView: FolderView?

  @Flag(exclusivity: .exclusive)
  var profileView: ProfileView?

  @Option(
    help: ArgumentHelp(
      "Show the state as of these changes, separated by commas.", valueName: "hashes"))
  var at: String?

  @Flag(help: "Stop at the first document that fails instead of going on.")
  var failFast = false

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { folderView == nil }

  func validate() throws {
    let isOfDocument = at != nil || view != .tree
    switch (folderView, profileView) {
    case (let folderView?, nil):
      guard documents.count == 1, !isOfDocument else {
        throw ValidationError("--\(folderView.rawValue) takes one folder and no view of a document")
      }
    case (nil, .printProfile):
      guard documents.count == 1, !isOfDocument else {
        throw ValidationError("--print-profile takes one name or file and no view of a document")
      }
    case (nil, .profileSchema):
      guard documents.isEmpty, !isOfDocument else {
        throw ValidationError("--profile-schema takes nothing")
      }
    case (_?, _?):
      throw ValidationError("a view of a folder and one of profiles are two commands")
    case (nil, nil):
      if documents.isEmpty { throw ValidationError("missing expected argument '<document> ...'") }
    }
  }

  func perform(_ console: Console) throws {
    switch profileView {
    case .printProfile: return try console.write(Profile(nameOrFile: documents[0]).file)
    case .profileSchema: return try console.write(ProfileForm.schema)
    case nil: break
    }
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
