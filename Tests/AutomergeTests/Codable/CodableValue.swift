import Automerge
import Foundation

/// A value of any shape that encodes as what it is.
enum CodableValue: Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case list([CodableValue])
  case map([String: CodableValue])

  static func randomScalar(using random: inout SeededGenerator) -> CodableValue {
    switch random.below(8) {
    case 0: .null
    case 1: .bool(random.oneIn(2))
    case 2: .int([Int64.min, -1, 0, 1, .max][random.below(5)])
    case 3: .uint([UInt64.min, 1, 1 << 63, .max][random.below(4)])
    case 4: .double([-0.5, 0, 1e-300, .pi, .greatestFiniteMagnitude][random.below(5)])
    case 5: .string(["", "a", "日本語", "line\n\u{0}", "👩‍👧"][random.below(5)])
    case 6: .data(Data((0..<random.below(9)).map { _ in random.byte() }))
    default: .date(Date(timeIntervalSince1970: Double(random.below(1 << 40)) / 1000))
    }
  }
}

extension CodableValue: Codable {
  func encode(to encoder: any Encoder) throws {
    switch self {
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
      return
    case .map(let members):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for (key, value) in members { try container.encode(value, forKey: AnyCodingKey(key)) }
      return
    default: break
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .uint(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .list, .map: break
    }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {
      var members: [String: CodableValue] = [:]
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(CodableValue.self, forKey: key)
      }
      self = .map(members)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [CodableValue] = []
      while !container.isAtEnd { elements.append(try container.decode(CodableValue.self)) }
      self = .list(elements)
    } else {
      self = try CodableValue(scalar: decoder.singleValueContainer())
    }
  }

  private init(scalar container: any SingleValueDecodingContainer) throws {
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .uint(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }
}
