import Folders
import SchemaMigrations
import SwiftDataStores

extension MigrationValue {
  /// What a property list holds; nil for what JSON cannot say. Data is the JSON in it.
  init?(_ value: PropertyListValue) {
    if let text = value.text {
      self = .text(text)
    } else if let number = value.integer {
      self = .number(number)
    } else if let isTrue = value.boolean {
      self = .boolean(isTrue)
    } else if let number = value.real.flatMap({ MigrationNumber($0) }) {
      self = .number(number)
    } else if let seconds = value.secondsSince2001 {
      guard let moment = NumericDates.reference.moment(Array(seconds.description.utf8).span),
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
        guard let element = MigrationValue(element) else { return nil }
        list.append(element)
      }
      self = .list(list)
    } else if let (keys, values) = value.members {
      var object = MigrationObject()
      for index in keys.indices {
        guard let name = keys[index].text, let member = MigrationValue(values[index]) else {
          return nil
        }
        object[name] = member
      }
      self = .object(object)
    } else {
      return nil
    }
  }
}
