import Automerge
import FolderDocuments
import Folders
import Runs

/// What concurrent changes left with several values, in everything that readers of a document see.
enum FieldConflicts {
  /// How many are listed of one document; `inspect-crdt --conflicts` knows no limit.
  static let most = 1000

  /// Returns every value that loses against one that readers see.
  static func losing(in document: DocumentState) throws(MigrationError) -> LosingValues {
    var losing = LosingValues(of: document, limit: most)
    let root = DocumentRoot(document)
    for entity in root.entities {
      guard let map = entity.map else { continue }
      let identity = entity.identity.description
      let seen = DocumentValue(id: map, content: .object(.map))
      for value in document.values(of: entity).dropLast() where value.content != seen.content {
        try losing.add(value, besides: seen, of: identity, at: [])
      }
      try losing.addAll(inside: seen, of: identity, at: [])
    }
    for other in root.others {
      let values = document.values(in: other.group)
      let path = [String(decoding: document.pool[other.key], as: UTF8.self)]
      for value in values.dropLast() {
        try losing.add(value, besides: values.last, of: "", at: path)
      }
      if let seen = values.last { try losing.addAll(inside: seen, of: "", at: path) }
    }
    return losing
  }
}
