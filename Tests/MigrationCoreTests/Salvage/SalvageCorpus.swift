import Automerge
import Foundation
import SampleFolders
import Testing

@testable import MigrationCore

/// Documents to damage: the reference's, and what an import of the sample folder writes.
enum SalvageCorpus {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let document: DocumentState

    var testDescription: String { name }
  }

  /// The reference's documents that load.
  static let reference: [Case] = InspectionTests.cases.compactMap { name in
    let file = "automerge/" + name + "/doc.automerge"
    guard let bytes = try? Fixtures.bytes(file), let document = try? DocumentState(loading: bytes)
    else { return nil }
    return Case(name: name, bytes: bytes, document: document)
  }

  /// A month as an app wrote it.
  static let appMonth: Case? = {
    guard let bytes = try? Fixtures.bytes("automerge/minuta-month/01.automerge"),
      let document = try? DocumentState(loading: bytes)
    else { return nil }
    return Case(name: "minuta-month", bytes: bytes, document: document)
  }()

  /// A month of four records and their tags, as an import writes them; nothing is compressed.
  static let month: Case = { sample(recordCount: 4, name: "month") }()

  /// A month whose columns are long enough to be compressed.
  static let longMonth: Case = { sample(recordCount: 40, name: "long month") }()

  private static func sample(recordCount: Int, name: String) -> Case {
    do {
      let folder = try TestFolder()
      try folder.makeSample {
        $0.recordCount = recordCount
        $0.monthCount = 1
        $0.imageInterval = 3
      }
      try folder.importing()
      guard let path = try folder.documents().keys.sorted().first else {
        fatalError("the sample has no document")
      }
      return Case(
        name: name, bytes: try folder.bytes(path), document: try folder.document(path))
    } catch {
      fatalError("the sample could not be imported: \(error)")
    }
  }
}
