import Automerge
import Folders

/// The fields of a document that concurrent changes left with several values.
enum FieldConflicts {
  /// How many are listed of one document.
  private static let most = 1000

  /// Returns every field of a visible entity in which readers see one value and others differ.
  static func differences(
    of document: DocumentState
  ) throws(MigrationError) -> [MergeReport.Difference] {
    var differences: [MergeReport.Difference] = []
    let pool = document.pool
    for entity in DocumentRoot(document).entities {
      guard let map = entity.map else { continue }
      try document.forEachKey(of: map) { name, group throws(MigrationError) in
        guard differences.count < most else { return }
        let values = document.values(in: group)
        guard values.count > 1, let winner = values.last else { return }
        let kept = try document.reportValue(of: winner)
        for value in values.dropLast() {
          let other = try document.reportValue(of: value)
          guard other != kept else { continue }
          differences.append(
            MergeReport.Difference(
              identity: entity.identity.description,
              field: String(decoding: pool[name], as: UTF8.self), kept: kept, other: other,
              source: "change of \(document.author(of: value.id).bytes.hexadecimal)"))
        }
      }
    }
    return differences
  }
}
