/// Where a store keeps what: the tables and columns of each entity, by the names that its app uses.
package struct StoreLayout: Hashable, Sendable {
  /// The app's entities, by their numbers.
  package var entities: [EntityLayout] = []
  /// Entities of the framework itself, such as those of its history, by their numbers.
  package var ownEntities: [EntityLayout] = []
  /// Tables that are no entity's, no relationship's and not the framework's, by their names.
  package var foreignTables: [String] = []

  /// Returns the app's entity with a name.
  package func entity(named name: String) -> EntityLayout? { entities.first { $0.name == name } }

  /// Returns the app's entity with a number of `Z_PRIMARYKEY`.
  package func entity(numbered number: Int64) -> EntityLayout? {
    entities.first { $0.number == number }
  }
}

/// One entity and where its rows are.
package struct EntityLayout: Hashable, Sendable {
  /// Its number in this store; other stores of the app may have other ones.
  package var number: Int64
  /// Its name.
  package var name: String
  /// The number of the entity it inherits from; nil for none.
  package var superNumber: Int64?
  /// The greatest row number that was ever handed out, as the store says.
  package var highWater: Int64
  /// The table of its rows, which those of its sub-entities and of what it inherits from are in, too;
  /// empty if there is none.
  package var table: String
  /// Whether the store's own model names it.
  package var isInModel: Bool
  /// Its properties, by name.
  package var properties: [PropertyLayout] = []
  /// The names of properties that an index keeps unique together, one list for each index.
  package var uniqueTogether: [[String]] = []
}

/// One property of an entity and where its values are.
package struct PropertyLayout: Hashable, Sendable {
  /// What tells the name.
  package enum NameSource: String, Hashable, Sendable {
    /// The store's own model.
    case model
    /// The name of an index that keeps it unique.
    case index
    /// The name of its column: upper and lower case are lost.
    case column
  }

  /// Where the values are.
  package enum Place: Hashable, Sendable {
    /// In a column of the entity's table.
    case attribute(column: String, type: AttributeType)
    /// In columns of its parts, which are attributes, or composites themselves.
    case composite([PropertyLayout])
    /// In a column with the row number of the target, and one with the number of its entity where there
    /// can be several.
    case toOne(column: String, entityColumn: String?, destination: String?)
    /// In the column of another entity's table that leads back here.
    case toMany(destination: String, column: String)
    /// In a table of pairs of row numbers.
    case links(table: String, source: String, target: String, destination: String?)
    /// Nowhere that was found.
    case missing
  }

  /// Its name.
  package var name: String
  /// What tells the name.
  package var source: NameSource
  /// Where its values are.
  package var place: Place
  /// Whether the model says that the first byte of each cell tells where its value is. It is never guessed
  /// from cells: a row that comes or goes would change what others say.
  package var isMarked = false

  /// The columns of the entity's own table that its values are in.
  package var columns: [String] {
    switch place {
    case .attribute(let column, _): [column]
    case .composite(let parts): parts.flatMap(\.columns)
    case .toOne(let column, let entityColumn, _): [column] + (entityColumn.map { [$0] } ?? [])
    case .toMany, .links, .missing: []
    }
  }
}
