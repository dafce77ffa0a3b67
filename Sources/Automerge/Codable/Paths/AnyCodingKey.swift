/// A coding key that is a key of a map or an index of a list.
public struct AnyCodingKey: Equatable, Sendable {
  /// What the key names in its container.
  let prop: Prop

  /// Makes the coding key of a key or index.
  public init(_ pathProperty: Prop) { prop = pathProperty }

  /// Makes the coding key of the last step to an object.
  public init(_ element: PathElement) { prop = element.prop }

  /// Makes an index of a coding key that has an integer value of 0 or more, else a key.
  public init(_ key: some CodingKey) {
    if let key = key as? AnyCodingKey {
      self = key
    } else if let index = key.intValue.flatMap({ UInt64(exactly: $0) }) {
      prop = .Index(index)
    } else {
      prop = .Key(key.stringValue)
    }
  }

  /// Makes a key of a map.
  public init(_ stringVal: String) { prop = .Key(stringVal) }

  /// Makes an index of a list.
  public init(_ intValue: UInt64) { prop = .Index(intValue) }

  /// The empty key, which stands for the root map.
  public static let ROOT = AnyCodingKey("")
}

extension AnyCodingKey: CodingKey {
  /// Makes an index of a list, or nil for a negative number.
  public init?(intValue: Int) {
    guard let index = UInt64(exactly: intValue) else { return nil }
    prop = .Index(index)
  }

  /// Makes a key of a map.
  public init?(stringValue: String) { prop = .Key(stringValue) }

  /// The key, or the index in brackets.
  public var stringValue: String { description }

  /// The index, or nil for a key; an index no list can have is the greatest integer.
  public var intValue: Int? {
    if case .Index(let index) = prop { Int(clamping: index) } else { nil }
  }
}

extension AnyCodingKey: CustomStringConvertible {
  public var description: String {
    switch prop {
    case .Key(let key): key
    case .Index(let index): "[\(index)]"
    }
  }
}

extension AnyCodingKey: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch prop {
    case .Key(let key): hasher.combine(key)
    case .Index(let index): hasher.combine(index)
    }
  }
}
