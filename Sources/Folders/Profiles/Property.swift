import SafeFiles

/// The name of a property: text that is compared by its bytes, never by what it looks like.
package struct PropertyName: Comparable, CustomStringConvertible, ExpressibleByStringLiteral,
  Hashable,
  Sendable
{
  /// The name in UTF-8.
  package let bytes: [UInt8]

  /// Creates a name from bytes that are valid UTF-8.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package init(stringLiteral value: StaticString) { bytes = Array(value.description.utf8) }

  /// The name as text.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  package static func < (left: PropertyName, right: PropertyName) -> Bool {
    ByteOrder.precedes(left.bytes, right.bytes)
  }
}

/// What the values of a property are.
package enum PropertyType: Hashable, Sendable {
  case string, uuid, boolean, integer, number, double, date, bytes, decimal, json, text, list, map
  /// The identity of an entity.
  case reference(ReferenceTarget)
  /// The identities of any number of entities.
  case links(ReferenceTarget)

  /// What the property refers to, if it does.
  package var target: ReferenceTarget? {
    switch self {
    case .reference(let target), .links(let target): target
    default: nil
    }
  }

  /// What each type is called, in the order in which they are listed.
  package static let names: [(name: String, type: PropertyType)] = [
    ("string", .string), ("uuid", .uuid), ("boolean", .boolean), ("integer", .integer),
    ("number", .number), ("double", .double), ("date", .date), ("bytes", .bytes),
    ("decimal", .decimal), ("json", .json), ("text", .text), ("list", .list), ("map", .map),
    ("links", .links(ReferenceTarget())), ("reference", .reference(ReferenceTarget())),
  ]

  /// What the type is called.
  package var name: String {
    let plain: PropertyType =
      switch self {
      case .reference: .reference(ReferenceTarget())
      case .links: .links(ReferenceTarget())
      default: self
      }
    return Self.names.first { $0.type == plain }?.name ?? ""
  }
}

/// What the values of a property are, whatever they refer to: readers ask it of each, so it is a byte.
package enum PropertyForm: UInt8, Sendable {
  case string, uuid, boolean, integer, number, double, date, bytes, decimal, json, text, list, map
  case reference, links

  /// Whether values have a place in the content change of their entity.
  package var isScalar: Bool {
    switch self {
    case .string, .uuid, .boolean, .integer, .number, .double, .date, .bytes, .decimal, .reference:
      true
    case .json, .text, .list, .map, .links: false
    }
  }

  /// Whether every JSON value of a type is one of the property, and nobody has to look at its text.
  func holdsAll(_ kind: JSONNode.Kind) -> Bool {
    switch (self, kind) {
    case (.string, .string), (.boolean, .true), (.boolean, .false): true
    default: false
    }
  }
}

extension PropertyType {
  /// What the values are, whatever they refer to.
  package var form: PropertyForm {
    switch self {
    case .string: .string
    case .uuid: .uuid
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .double: .double
    case .date: .date
    case .bytes: .bytes
    case .decimal: .decimal
    case .json: .json
    case .text: .text
    case .list: .list
    case .map: .map
    case .reference: .reference
    case .links: .links
    }
  }
}

/// What a reference or a link leads to, and what follows when that is deleted.
package struct ReferenceTarget: Hashable, Sendable {
  /// What becomes of an entity when one that it refers to is deleted.
  package enum DeleteRule: String, CaseIterable, Hashable, Sendable {
    /// Nothing: the reference stays and leads nowhere.
    case keep
    /// The reference is cleared, the link removed.
    case clear
    /// It is deleted, too.
    case delete
    /// The other one is not deleted.
    case refuse
  }

  /// The kind of entity; nil if any text may stand there.
  package var kind: String?
  /// What happens when that is deleted.
  package var deleteRule: DeleteRule

  /// Creates a target.
  package init(_ kind: String? = nil, onDelete deleteRule: DeleteRule = .keep) {
    self.kind = kind
    self.deleteRule = deleteRule
  }
}

/// One declared property of a kind.
package struct Property: Hashable, Sendable {
  /// Its name, which is that of the JSON member.
  package var name: PropertyName
  /// What its values are.
  package var type: PropertyType
  /// Whether an entity without it is refused; of properties that not every version has, none is.
  package var isRequired: Bool
  /// The first version of the profile that has it.
  package var since: Int
  /// The first version that has it no more.
  package var until: Int?
  /// For people.
  package var description: String?
  /// What JSON inside a column of a store means.
  package var nested = NestedMeaning()

  /// Creates a property.
  package init(
    _ name: PropertyName, _ type: PropertyType, isRequired: Bool = false, since: Int = 1,
    until: Int? = nil, nested: NestedMeaning = NestedMeaning(), description: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.since = since
    self.until = until
    self.nested = nested
    self.description = description
  }

  /// Whether every entity that is not refused has a value of the type.
  package var isAlwaysThere: Bool { isRequired && isInAllVersions }

  /// Whether every version of the profile has it.
  package var isInAllVersions: Bool { since == 1 && until == nil }
}

/// What values mean that lie inside of a JSON value, where their JSON does not say it. A token `*` of a
/// pointer stands for every element or member.
package struct NestedMeaning: Hashable, Sendable {
  /// Numbers that are dates: seconds since 2001-01-01 UTC, as Swift writes them.
  package var dates: [JSONPointer]
  /// Arrays whose order means nothing.
  package var sets: [JSONPointer]

  /// Creates what JSON says by itself.
  package init(dates: [JSONPointer] = [], sets: [JSONPointer] = []) {
    self.dates = dates
    self.sets = sets
  }

  package var isEmpty: Bool { dates.isEmpty && sets.isEmpty }
}

/// The properties of a kind, ascending by the bytes of their names.
///
/// A name is found by halving, on one array of bytes: nothing is hashed and nothing allocated.
package struct PropertyTable: RandomAccessCollection, Sendable {
  /// Shared, so that handing on a table costs little.
  private final class Storage: Sendable {
    let properties: [Property]
    let facts: [Facts]
    /// All names, one behind the other, and where each ends.
    let names: [UInt8]
    let ends: [Int]

    init(_ properties: [Property]) {
      self.properties = properties
      facts = properties.map(Facts.init(of:))
      var names: [UInt8] = []
      ends = properties.map {
        names += $0.name.bytes
        return names.count
      }
      self.names = names
    }
  }

  /// What readers ask of every value, without a copy of the rest.
  package struct Facts: Sendable {
    /// What the values of the property are.
    package let form: PropertyForm
    /// Whether every entity that is not refused has a value.
    package let isAlwaysThere: Bool
    /// Whether every version of the profile has the property.
    package let isInAllVersions: Bool

    fileprivate init(of property: Property) {
      form = property.type.form
      (isAlwaysThere, isInAllVersions) = (property.isAlwaysThere, property.isInAllVersions)
    }
  }

  private let storage: Storage

  /// Sorts properties; those of one name stay, for `Profile.init` to refuse.
  package init(_ properties: [Property]) {
    storage = Storage(properties.sorted { $0.name < $1.name })
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { storage.properties.count }
  package subscript(index: Int) -> Property { storage.properties[index] }

  /// Returns what readers ask of every value of a property.
  package func facts(at index: Int) -> Facts { storage.facts[index] }

  /// Returns the name of a property.
  package func name(at index: Int) -> PropertyName { storage.properties[index].name }

  /// Returns the position of the property of that name.
  package func index(of name: Span<UInt8>) -> Int? {
    var range = 0..<storage.ends.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let order = order(of: name, toPropertyAt: middle)
      if order == 0 { return middle }
      range = order < 0 ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return nil
  }

  /// Returns less than, equal to or greater than zero, as a name is before, at or behind that of a
  /// property.
  package func order(of name: Span<UInt8>, toPropertyAt index: Int) -> Int {
    let names = storage.names
    return Self.order(name, names.span.extracting(nameRange(at: index)))
  }

  /// The names of all properties, one behind the other: whoever needs many of them takes them from here.
  package var names: [UInt8] { storage.names }

  /// Returns where in `names` the name of a property is.
  package func nameRange(at index: Int) -> Range<Int> {
    (index == 0 ? 0 : storage.ends[index - 1])..<storage.ends[index]
  }

  /// Returns the property of that name.
  package subscript(name: PropertyName) -> Property? {
    index(of: name.bytes.span).map { storage.properties[$0] }
  }

  /// Less than, equal to or greater than zero, as the first is before, at or behind the second.
  private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let shared = Swift.min(left.count, right.count)
    var position = 0
    while position < shared {
      let (one, other) = (left[position], right[position])
      if one != other { return one < other ? -1 : 1 }
      position &+= 1
    }
    return left.count - right.count
  }
}

extension PropertyTable: Hashable {
  package static func == (left: PropertyTable, right: PropertyTable) -> Bool {
    left.storage.properties == right.storage.properties
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(storage.properties) }
}
