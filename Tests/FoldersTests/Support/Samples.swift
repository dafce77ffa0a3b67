import Diagnostics
import Folders
import SafeFiles

/// Pieces of legacy JSON that tests vary.
enum Samples {
  static let recordID = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
  static let tagID = "550E8400-E29B-41D4-A716-446655440000"

  /// A record with a start time and the members given.
  static func record(id: String = recordID, _ members: String = "") -> String {
    #"{"id":"\#(id)","startTime":"2024-01-15T09:30:00Z"\#(members.isEmpty ? "" : ",")\#(members)}"#
  }

  /// A tag with every required field and the members given.
  static func tag(id: String = tagID, _ members: String = "") -> String {
    let required = ##""name":"Work","color":"#FF8800","createdAt":"2023-01-01T08:00:00Z""##
    return #"{"id":"\#(id)",\#(required)\#(members.isEmpty ? "" : ",")\#(members)}"#
  }
}

/// Reads the bytes of a record file.
func loadRecord(_ json: String, _ rules: EntityRules = EntityRules()) -> EntityBatch {
  var batch = EntityBatch()
  batch.load(json.utf8, as: .record, path: "records/2024/01/x.json", rules: rules)
  return batch
}

/// Reads the bytes of a tags file.
func loadTags(_ json: String, _ rules: EntityRules = EntityRules()) -> EntityBatch {
  var batch = EntityBatch()
  batch.load(json.utf8, as: .tag, path: "tags.json", rules: rules)
  return batch
}

extension EntityBatch {
  var codes: [Finding.Code] { findings.map(\.code) }

  func text(of node: Int?) -> String? {
    node.map { String(decoding: tape.bytes(of: $0), as: UTF8.self) }
  }

  /// The values of an entity's unknown members, by name, as JSON.
  func unknownMembers(of entity: LegacyEntity) -> [(name: String, json: String)] {
    var names: [UInt32] = []
    appendUnknownMembers(of: entity, to: &names)
    return names.map { name in
      var writer = JSONWriter()
      writer.value(Int(name) + 1, of: tape)
      return (text(of: Int(name)) ?? "", String(decoding: writer.bytes, as: UTF8.self))
    }
  }
}
