/// What an app's data is, as its store says: the entities and their properties.
package struct StoreModel: Hashable, Sendable {
  /// The entities, by name.
  package var entities: [ModelEntity] = []
  /// The names that the developer gave the version, sorted.
  package var versionIdentifiers: [String] = []

  /// Creates a model without entities.
  package init() {}

  /// Returns the entity with a name.
  package func entity(named name: String) -> ModelEntity? {
    entities.first { $0.name == name }
  }

  /// Returns an entity and those it inherits from, the outermost last; ends at one that is not there,
  /// and where nobody inherits so often.
  package func lineage(of entity: ModelEntity) -> [ModelEntity] {
    var lineage = [entity]
    while lineage.count < 32, let name = lineage.last?.superentity,
      let next = self.entity(named: name)
    {
      lineage.append(next)
    }
    return lineage
  }
}

/// One entity of a model.
package struct ModelEntity: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// The entity it inherits from.
  package var superentity: String?
  /// Whether only its sub-entities have rows.
  package var isAbstract = false
  /// Its attributes, by name.
  package var attributes: [ModelAttribute] = []
  /// Its relationships, by name.
  package var relationships: [ModelRelationship] = []
  /// The names of properties that are unique together, each list in the model's order.
  package var uniqueTogether: [[String]] = []
  /// The name by which an earlier version knows it, where that is another one.
  package var earlierName: String?

  /// Creates an entity without properties.
  package init(name: String) { self.name = name }
}

/// One attribute of an entity.
package struct ModelAttribute: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// What it holds.
  package var type: AttributeType
  /// The class of its values, such as `NSUUID`; empty if the model does not say.
  package var className = ""
  /// Whether it may have no value.
  package var isOptional = false
  /// Whether it is in no table.
  package var isTransient = false
  /// Whether large values of it are in files of their own, so that the first byte of each cell says where
  /// its value is.
  package var isMarked = false
  /// The parts of a composite value, in the model's order; each has a column, and the value has none.
  package var elements: [ModelAttribute] = []
  /// The name by which an earlier version knows it, where that is another one.
  package var earlierName: String?

  /// Creates an attribute.
  package init(name: String, type: AttributeType) {
    self.name = name
    self.type = type
  }
}

/// One relationship of an entity.
package struct ModelRelationship: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// The entity it leads to; empty if the model does not say.
  package var destination: String
  /// The relationship that leads back.
  package var inverse: String?
  /// Whether it leads to any number of rows.
  package var isToMany: Bool
  /// What happens to its target when a row is deleted.
  package var deleteRule: DeleteRule
  /// Whether it may lead nowhere.
  package var isOptional = false
  /// Whether it is in no table.
  package var isTransient = false
  /// The name by which an earlier version knows it, where that is another one.
  package var earlierName: String?

  /// Creates a relationship.
  package init(name: String, destination: String, isToMany: Bool, deleteRule: DeleteRule) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.deleteRule = deleteRule
  }
}

/// What happens to the target of a relationship when a row is deleted.
package enum DeleteRule: Hashable, Sendable {
  case noAction
  case nullify
  case cascade
  case deny
  /// One that this version does not know, by its number.
  case other(Int64)

  /// Names the rule with a number of models.
  package init(number: Int64) {
    self =
      switch number {
      case 0: .noAction
      case 1: .nullify
      case 2: .cascade
      case 3: .deny
      default: .other(number)
      }
  }

  /// The rule as reports have it.
  package var name: String {
    switch self {
    case .noAction: "no-action"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    case .other(let number): "other-\(number)"
    }
  }
}

/// What an attribute holds.
package enum AttributeType: Hashable, Sendable {
  case undefined
  case integer16
  case integer32
  case integer64
  case decimal
  case double
  case float
  case string
  case boolean
  case date
  case binary
  case uuid
  case uri
  case transformable
  case objectID
  case composite
  /// One that this version does not know, by its number.
  case other(Int64)

  private static let numbers: [(AttributeType, Int64, String)] = [
    (.undefined, 0, "undefined"), (.integer16, 100, "integer16"), (.integer32, 200, "integer32"),
    (.integer64, 300, "integer64"), (.decimal, 400, "decimal"), (.double, 500, "double"),
    (.float, 600, "float"), (.string, 700, "string"), (.boolean, 800, "boolean"),
    (.date, 900, "date"), (.binary, 1000, "binary"), (.uuid, 1100, "uuid"), (.uri, 1200, "uri"),
    (.transformable, 1800, "transformable"), (.objectID, 2000, "object-id"),
    (.composite, 2100, "composite"),
  ]

  /// Names the type with a number of models.
  package init(number: Int64) {
    self = Self.numbers.first { $0.1 == number }?.0 ?? .other(number)
  }

  /// The type as reports have it.
  package var name: String {
    if case .other(let number) = self { return "other-\(number)" }
    return Self.numbers.first { $0.0 == self }?.2 ?? ""
  }
}
