import Diagnostics
package import Runs

/// What `--status` says of a place, which is a folder, a store, or a directory of stores.
package enum PlaceStatus {
  case folder(StatusReport)
  case stores(StoreStatusReport)

  /// Reads what is at the place: a file is a store, and stores are looked for in a directory in which a
  /// folder's profile knows nothing.
  package static func read(
    _ options: VerificationOptions, context: RunContext
  ) throws(MigrationError) -> PlaceStatus {
    let stores = StoreStatusWorkflow(options.folder, context: context)
    guard let folder = try StoreSource.openUnlessFile(options.folder, context: context) else {
      guard !options.looksAtNamesOnly else {
        throw .underlying(
          Diagnostic(
            .usage, subject: options.folder,
            problem: "is a file, and --names-only opens none",
            remedy: "leave --names-only out"))
      }
      _ = try FolderAccess.openParent(ofPath: options.folder, context: context)
      return .stores(try stores.perform())
    }
    let report: Result<StatusReport, MigrationError>
    do {
      // Where the folder stands cannot be told of half a step.
      try FolderAccess.requireFinishedSteps(in: folder)
      report = .success(try StatusWorkflow(options, context: context).perform(in: folder))
    } catch {
      report = .failure(error)
    }
    switch report {
    case _ where options.looksAtNamesOnly: break
    case .success(let known) where known.status != .unknown: break
    case .success, .failure(.unknownApp):
      let found = try stores.perform()
      let hasCopies = found.findings.contains { $0.code == .appCopy }
      if !found.stores.isEmpty || !found.failures.isEmpty || hasCopies { return .stores(found) }
    case .failure: break
    }
    return .folder(try report.get())
  }
}
