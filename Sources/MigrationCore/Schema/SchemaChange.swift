import Folders
import SchemaMigrations

extension SchemaReport.Change {
  /// What is different in an entity since it was read; nil is one that was made.
  init(_ entity: ChangingEntity, fields: Int?, of kinds: EntityKinds) {
    let properties = entity.fields.differences(from: fields, of: entity.tape).map { difference in
      Property(
        name: difference.name, before: Self.shown(difference.before),
        after: Self.shown(difference.after))
    }
    self.init(
      kind: kinds.name(of: entity.kind), id: kinds.text(of: entity.identity),
      isNew: fields == nil, properties: properties)
  }

  private static func shown(_ value: MigrationValue?) -> String { shown(value?.json) }

  /// A value as it is shown, not all of it if it is long; nothing if it is absent.
  static func shown(_ json: [UInt8]?) -> String {
    guard let json else { return "" }
    return String(decoding: json.prefix(200), as: UTF8.self) + (json.count > 200 ? "..." : "")
  }
}
