import Folders
import SafeFiles
import SwiftDataStores

/// What a store says about itself, as Core Data writes it.
///
/// How Core Data computes its hashes is not public: these are of what the model says, so that equal
/// entities have equal ones.
struct StoreMetadataWriter {
  let model: StoreModel
  /// The identifiers of the version that the store says it is of.
  var identifiers: [String]

  /// The property list of `Z_METADATA`.
  var bytes: [UInt8] {
    let hashes = model.entities.map { ($0.name, hash(of: $0)) }
    let all = ContentHash(of: hashes.flatMap { $0.1 }).bytes
    return SamplePropertyList.dictionary([
      ("NSPersistenceFrameworkVersion", .integer(1345)),
      ("NSStoreModelVersionChecksumKey", .string(Self.base64(all))),
      ("NSStoreModelVersionHashes", .dictionary(hashes.map { ($0.0, .data($0.1)) })),
      (
        "NSStoreModelVersionHashesDigest",
        .string(Self.base64(all + ContentHash(of: all).bytes))
      ),
      ("NSStoreModelVersionHashesVersion", .integer(3)),
      ("NSStoreModelVersionIdentifiers", .array(identifiers.map { .string($0) })),
      ("NSStoreType", .string("SQLite")), ("_NSAutoVacuumLevel", .string("2")),
    ]).bytes
  }

  private func hash(of entity: ModelEntity) -> [UInt8] {
    var text = entity.name + "/" + (entity.superentity ?? "")
    for attribute in entity.attributes {
      text += "/\(attribute.name) \(attribute.type.name) \(attribute.isOptional)"
    }
    for relationship in entity.relationships {
      text += "/\(relationship.name) \(relationship.destination) \(relationship.isToMany)"
      text += " \(relationship.deleteRule.name) \(relationship.isOptional)"
    }
    for tuple in entity.uniqueTogether { text += "/" + tuple.joined(separator: " ") }
    return ContentHash(of: Array(text.utf8)).bytes
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes.span), as: UTF8.self)
  }
}
