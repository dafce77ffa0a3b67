import Automerge
import SafeFiles

/// Part of a measurement that has a process to itself.
package enum MeasurementStep: String, CaseIterable {
  /// Writes the document of records to the folder.
  case writeRecords = "write-records"
  /// Loads what the step before wrote.
  case loadRecords = "load-records"
  /// Does nothing: what a process is without a document.
  case nothing

  private static let document: FileName = "records.automerge"

  /// Performs the step in the folder of the run.
  package func perform(inFolder path: String) throws {
    let directory = try Directory.open(path: path)
    switch self {
    case .writeRecords:
      let records = TimeRecords(count: RecordDocuments.standardCount)
      try directory.createFile(Self.document).write([UInt8](try records.document().save()))
    case .loadRecords:
      let document = try DocumentState(loading: directory.contents(of: Self.document))
      guard document.changeCount == 1 else {
        throw MeasurementError.wrongResult("the document of records has no records")
      }
    case .nothing: break
    }
  }
}
