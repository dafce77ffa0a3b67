import Diagnostics
import Folders
import Runs
import SafeFiles

// Kinds that nobody asked for.
extension ImportWorkflow {
  /// Tells what was left out of each private kind, and that its documents stay as they are.
  func noteLeftOut(
    _ places: ImportPlaces, _ target: FolderInventory?, in report: inout ImportReport
  ) {
    let kinds = context.kinds
    for kind in withheld.sorted() where report[kind].leftOut > 0 {
      report.findings.append(
        kinds.leftOut(
          report[kind].leftOut, kind, "not imported", command: command(including: kind, places)))
      let documents = target?.documents.filter { target?.kind(of: Int($0)) == kind } ?? []
      guard let target, let first = documents.first else { continue }
      report.findings.append(
        Finding(
          .privateKind, .info,
          path: documents.count > 1 ? "" : target.path(of: Int(first)).description,
          message: documents.count > 1
            ? "\(documents.count.counted("document")) of the private kind \(kinds.name(of: kind)) "
              + "stay as they are"
            : "holds the private kind \(kinds.name(of: kind)) and stays as it is"))
    }
  }

  /// The command that imports a private kind, too; nil for what came as a stream, which is gone.
  private func command(including kind: EntityKind, _ places: ImportPlaces) -> NextCommand? {
    if case .stream = options.source { return nil }
    return NextCommand(
      .importCRDT,
      context.kinds.privateOptions(of: kind) + (options.flattens ? ["--flatten"] : [])
        + (options.updates ? ["--update"] : []) + context.kinds.options
        + NextCommand.options(numericDates: rules.numericDates) + [places.sourcePath]
        + (places.isInPlace ? [] : ["--into", places.targetPath]))
  }
}
