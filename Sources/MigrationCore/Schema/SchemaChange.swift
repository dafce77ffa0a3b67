import Folders
import SchemaMigrations

extension SchemaReport.Change {
  /// What is different in an entity since it was read; nil is one that was made.
  init(_ entity: ChangingEntity, fields: Int?, of kinds: EntityKinds) {
    let properties = entity.fields.differences(from: fields, of: entity.tape).map { difference in
      Property(
        name: difference.name, before: difference.before?.json, after: difference.after?.json)
    }
    self.init(
      kind: kinds.name(of: entity.kind), id: kinds.text(of: entity.identity),
      isNew: fields == nil, properties: properties)
  }
}

extension SchemaReport.Change.Property {
  /// So many bytes of a value are kept.
  private static let largestValue = 200

  /// A property with its values as JSON, not all of them if they are long; nil is absent.
  init(name: String, before: [UInt8]?, after: [UInt8]?) {
    let (before, after) = (Self.shown(before), Self.shown(after))
    self.init(
      name: name, before: before.text, after: after.text, isCut: before.isCut || after.isCut)
  }

  /// The characters of a value that are kept whole, and whether there are more.
  private static func shown(_ json: [UInt8]?) -> (text: String, isCut: Bool) {
    guard let json else { return ("", false) }
    if json.count <= largestValue { return (String(decoding: json, as: UTF8.self), false) }
    var end = largestValue
    while end > 0, json[end] & 0xC0 == 0x80 { end -= 1 }
    return (String(decoding: json[..<end], as: UTF8.self), true)
  }
}
