import Foundation

/// JSON as values of Swift: a boolean is no number here.
package struct PlainJSON: Decodable {
  package let value: Any

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Each form is tried in turn; the last one throws.
    if let flag = try? container.decode(Bool.self) {
      value = flag
    } else if let number = try? container.decode(Int.self) {
      value = number
    } else if let number = try? container.decode(Double.self) {
      value = number
    } else if let text = try? container.decode(String.self) {
      value = text
    } else if let elements = try? container.decode([PlainJSON].self) {
      value = elements.map(\.value)
    } else if container.decodeNil() {
      value = Void()
    } else {
      value = try container.decode([String: PlainJSON].self).mapValues(\.value)
    }
  }
}

/// A validator of JSON Schema, as far as the schema of profiles goes.
package enum SchemaCheck {
  package static func defects(of value: Any, by schema: Any) -> [String] {
    let definitions = (schema as? [String: Any])?["$defs"] as? [String: Any] ?? [:]
    return defects(of: value, by: schema, definitions, at: "")
  }

  private static func defects(
    of value: Any, by schema: Any, _ definitions: [String: Any], at place: String
  ) -> [String] {
    guard let schema = schema as? [String: Any] else { return ["\(place): no schema"] }
    var defects: [String] = []
    for (word, rule) in schema {
      switch word {
      case "$schema", "$defs", "title", "description", "properties", "items": break
      case "$ref":
        let name = (rule as? String ?? "").replacing("#/$defs/", with: "")
        defects += self.defects(of: value, by: definitions[name] ?? "", definitions, at: place)
      case "oneOf":
        let right = (rule as? [Any] ?? []).count {
          self.defects(of: value, by: $0, definitions, at: place).isEmpty
        }
        if right != 1 { defects.append("\(place): \(right) of several forms") }
      case "type": if !isOfType(value, rule as? String ?? "") { defects.append("\(place): type") }
      case "enum":
        if !(rule as? [String] ?? []).contains(value as? String ?? "") {
          defects.append("\(place): enum")
        }
      case "pattern":
        let text = value as? String ?? ""
        if text.range(of: rule as? String ?? "", options: .regularExpression) == nil {
          defects.append("\(place): pattern")
        }
      case "maxLength":
        if (value as? String ?? "").count > rule as? Int ?? 0 {
          defects.append("\(place): maxLength")
        }
      case "minimum":
        if (value as? Int ?? .max) < rule as? Int ?? 0 { defects.append("\(place): minimum") }
      case "maximum":
        if (value as? Int ?? .min) > rule as? Int ?? 0 { defects.append("\(place): maximum") }
      case "minItems":
        if (value as? [Any] ?? []).count < rule as? Int ?? 0 {
          defects.append("\(place): minItems")
        }
      case "maxItems":
        if (value as? [Any] ?? []).count > rule as? Int ?? 0 {
          defects.append("\(place): maxItems")
        }
      case "maxProperties":
        if (value as? [String: Any] ?? [:]).count > rule as? Int ?? 0 {
          defects.append("\(place): maxProperties")
        }
      case "required":
        for name in rule as? [String] ?? [] where (value as? [String: Any])?[name] == nil {
          defects.append("\(place): \(name) is missing")
        }
      case "additionalProperties":
        let known = schema["properties"] as? [String: Any] ?? [:]
        for (name, member) in value as? [String: Any] ?? [:] where known[name] == nil {
          if rule as? Bool == false {
            defects.append("\(place): \(name) is unknown")
          } else {
            defects += self.defects(of: member, by: rule, definitions, at: "\(place)/\(name)")
          }
        }
      default: defects.append("\(place): the check does not know \(word)")
      }
    }
    for (name, rule) in schema["properties"] as? [String: Any] ?? [:] {
      guard let member = (value as? [String: Any])?[name] else { continue }
      defects += self.defects(of: member, by: rule, definitions, at: "\(place)/\(name)")
    }
    if let rule = schema["items"] {
      for (index, element) in (value as? [Any] ?? []).enumerated() {
        defects += self.defects(of: element, by: rule, definitions, at: "\(place)/\(index)")
      }
    }
    return defects
  }

  private static func isOfType(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "string": value is String
    case "boolean": value is Bool
    case "number": value is Int || value is Double
    case "integer": value is Int
    case "object": value is [String: Any]
    case "array": value is [Any]
    default: false
    }
  }

  /// The members that a schema knows, by the way to them.
  package static func members(of schema: Any, at place: String = "") -> Set<String> {
    guard let schema = schema as? [String: Any] else { return [] }
    var members: Set<String> = []
    for (name, rule) in schema["properties"] as? [String: Any] ?? [:] {
      members.insert("\(place)/\(name)")
      members.formUnion(self.members(of: rule, at: "\(place)/\(name)"))
    }
    if let rule = schema["items"] { members.formUnion(self.members(of: rule, at: "\(place)/#")) }
    if let rule = schema["additionalProperties"], !(rule is Bool) {
      members.formUnion(self.members(of: rule, at: "\(place)/#"))
    }
    return members
  }

  /// The members that a value uses, by the way to them.
  package static func members(used value: Any, by schema: Any, at place: String = "") -> Set<String>
  {
    guard let schema = schema as? [String: Any] else { return [] }
    let known = schema["properties"] as? [String: Any] ?? [:]
    var members: Set<String> = []
    for (name, member) in value as? [String: Any] ?? [:] {
      if let rule = known[name] {
        members.insert("\(place)/\(name)")
        members.formUnion(self.members(used: member, by: rule, at: "\(place)/\(name)"))
      } else if let rule = schema["additionalProperties"] {
        members.formUnion(self.members(used: member, by: rule, at: "\(place)/#"))
      }
    }
    for element in value as? [Any] ?? [] {
      members.formUnion(self.members(used: element, by: schema["items"] ?? [:], at: "\(place)/#"))
    }
    return members
  }
}
