import Folders
import SchemaMigrations
import SwiftDataStores

extension MigrationValue {
  /// What a property list holds; nil for what JSON cannot say, and for too much of it. Data is the JSON in it.
  ///
  /// Many may name one object: of a few bytes, lists in lists can be as long as nothing that anybody wrote.
  init?(_ value: PropertyListValue) {
    var room = PropertyList.maximumByteCount
    self.init(value, within: &room)
  }

  /// About how many bytes a list or an object takes, and what else has no length.
  private static let (containerByteCount, scalarByteCount) = (256, 32)

  private init?(_ value: PropertyListValue, within room: inout Int) {
    room -=
      value.byteCount ?? (value.count == nil ? Self.scalarByteCount : Self.containerByteCount)
    guard room >= 0 else { return nil }
    if let text = value.text {
      self = .text(text)
    } else if let number = value.integer {
      self = .number(number)
    } else if let isTrue = value.boolean {
      self = .boolean(isTrue)
    } else if let number = value.real.flatMap({ MigrationNumber($0) }) {
      self = .number(number)
    } else if let seconds = value.secondsSince2001 {
      guard seconds.isFinite,
        let moment = NumericDates.reference.moment(Array(seconds.description.utf8).span),
        moment.isWritable
      else { return nil }
      self = .text(moment.description)
    } else if let data = value.data {
      // Apps keep JSON in data; other bytes say nothing to anybody else.
      guard let json = try? MigrationValue(json: data) else { return nil }
      self = json
    } else if let elements = value.elements {
      var list: [MigrationValue] = []
      for element in elements {
        guard let element = MigrationValue(element, within: &room) else { return nil }
        list.append(element)
      }
      self = .list(list)
    } else if let (keys, values) = value.members {
      var object = MigrationObject()
      for index in keys.indices {
        // Which of two members with one name an app sees nothing tells.
        guard let name = keys[index].text, object[name] == nil,
          let member = MigrationValue(values[index], within: &room)
        else { return nil }
        object[name] = member
      }
      self = .object(object)
    } else {
      return nil
    }
  }
}
