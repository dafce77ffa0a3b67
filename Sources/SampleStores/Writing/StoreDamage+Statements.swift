// Damages that are a matter of SQL: what is left is a sound database.
extension StoreDamage {
  /// The statements after the rows of a store were written.
  func statements(_ plan: StorePlan, _ schema: SampleSchema) -> [String] {
    let roles = plan.roles
    func table(of entity: String) -> String {
      schema.tables.first { $0.entities.contains(entity) }?.name ?? ""
    }
    let (parent, child) = (table(of: roles.parent), table(of: roles.child))
    let date = "Z" + roles.date.uppercased()
    let last = "(SELECT MAX(Z_PK) FROM \(child))"
    let number = schema.entities.count + 1
    switch self {
    case .duplicateIdentities:
      return [
        "UPDATE \(child) SET ZID = (SELECT ZID FROM \(child) ORDER BY Z_PK LIMIT 1) "
          + "WHERE Z_PK = \(last)"
      ]
    case .emptied:
      return schema.tables.map { "DELETE FROM \($0.name)" }
        + schema.linkTables.map { "DELETE FROM \($0.name)" }
        + ["DELETE FROM ACHANGE", "DELETE FROM ATRANSACTION", "UPDATE Z_PRIMARYKEY SET Z_MAX = 0"]
    case .emptyBlobs:
      guard let json = roles.json else { return [] }
      let column = "Z" + json.property.uppercased()
      return ["UPDATE \(table(of: json.entity)) SET \(column) = x'' WHERE Z_PK % 2 = 0"]
    case .foreignRows:
      return [
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = \(schema.number(of: roles.child))"
      ]
    case .oddDates:
      return [
        "UPDATE \(child) SET \(date) = CAST(\(date) AS INTEGER) WHERE Z_PK % 5 = 0",
        "UPDATE \(child) SET \(date) = -90000000000.5 WHERE Z_PK % 5 = 1",
        "UPDATE \(child) SET \(date) = NULL WHERE Z_PK % 5 = 2",
        "UPDATE \(child) SET \(date) = 'yesterday' WHERE Z_PK % 5 = 3",
      ]
    case .orphans:
      let first = "(SELECT Z_PK FROM \(parent) ORDER BY Z_PK LIMIT 1)"
      let lost = "DELETE FROM \(parent) WHERE Z_PK = \(first)"
      guard let reference = roles.reference else { return [lost] }
      let column = "Z" + reference.uppercased()
      return [lost, "UPDATE \(child) SET \(column) = NULL WHERE Z_PK % 5 = 0"]
    case .textIdentities:
      let text = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
        .map { "substr(hex(ZID), \($0.0), \($0.1))" }.joined(separator: " || '-' || ")
      return [
        "UPDATE \(parent) SET ZID = \(text) WHERE Z_PK % 3 = 1",
        "UPDATE \(parent) SET ZNAME = x'00112233445566778899aabbccddeeff' "
          + "WHERE Z_PK = (SELECT MAX(Z_PK) FROM \(parent))",
      ]
    case .unknownZones:
      guard let zone = roles.zone else { return [] }
      let column = "Z" + zone.uppercased()
      return [
        "UPDATE \(child) SET \(column) = 'Mars/Olympus_Mons' WHERE Z_PK % 5 = 0",
        "UPDATE \(child) SET \(column) = '' WHERE Z_PK % 5 = 1",
      ]
    case .unknownEntity: return ["UPDATE \(child) SET Z_ENT = 99 WHERE Z_PK = \(last)"]
    case .unknownColumns:
      return [
        "ALTER TABLE \(parent) ADD COLUMN ZMOOD VARCHAR",
        "UPDATE \(parent) SET ZMOOD = 'calm' WHERE Z_PK % 2 = 0",
        SampleSchema.table("ZSTICKER", [("ZSHAPE", "VARCHAR")]),
        "INSERT INTO ZSTICKER VALUES (1, \(number), 1, 'star')",
        "INSERT INTO Z_PRIMARYKEY VALUES (\(number), 'Sticker', 0, 1)",
      ]
    case .mixedVersions:
      // Beside the tables of one version, one of a version that names its entities otherwise.
      let name = roles.parent + (plan.version.suffix.isEmpty ? "V1" : "")
      return [
        SampleSchema.table("Z" + name.uppercased(), [("ZNAME", "VARCHAR"), ("ZID", "BLOB")]),
        "INSERT INTO Z\(name.uppercased()) VALUES (1, \(number), 1, 'left behind', x'')",
        "INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, 1)",
      ]
    case .noMetadata: return ["DELETE FROM Z_METADATA"]
    case .badMetadata: return ["UPDATE Z_METADATA SET Z_PLIST = x'62706c69737430300001'"]
    case .noModel: return ["DROP TABLE Z_MODELCACHE"]
    case .noStore: return ["DROP TABLE Z_PRIMARYKEY"]
    case .badModel, .otherVersion, .twoSingletons, .corrupt, .damagedHeader, .emptyFile,
      .encrypted, .truncated, .foreignLog, .hotJournal, .noLog, .staleLog, .tornLog, .unfinishedLog,
      .missingExternal, .orphanExternal:
      return []
    }
  }
}
