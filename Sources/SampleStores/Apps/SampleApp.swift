package import SwiftDataStores

/// An app whose stores are made up: its entities, and in which of its versions they have what.
///
/// Versions are counted; a thing names those that have it.
package struct SampleApp: Sendable {
  /// One version of the app's data.
  package struct Version: Sendable {
    /// What it is called: `V9`.
    package let name: String
    /// What it is counted as.
    package let number: Int
    /// The name that the developer gave it in the model; nil where there is none but the default.
    package let identifier: String
    /// What all entities of the version have behind their names.
    package var suffix = ""
  }

  /// One store of the app.
  package struct StoreFile: Sendable {
    /// The file name of the database.
    package let name: String
    /// The versions that have it.
    package let versions: ClosedRange<Int>
    /// The entities whose rows are in it.
    package let entities: [String]
    /// The tables that mirror it to CloudKit.
    package var mirroringTables: [String] = []
  }

  /// What the app is called on the command line.
  package let name: String
  /// The identifier of the app's bundle, which the history of a store names.
  package let bundle: String
  /// Its versions, oldest first.
  package let versions: [Version]
  /// The version that people have.
  package let currentVersion: String
  /// Its stores.
  package let files: [StoreFile]
  /// Its entities in all versions.
  let entities: [SampleEntity]

  /// All apps.
  package static let all = [ritualist, laundryTime, library]

  /// Returns the app with a name.
  package static func named(_ name: String) -> SampleApp? { all.first { $0.name == name } }

  /// Returns the version with a name.
  package func version(named name: String) -> Version? { versions.first { $0.name == name } }

  /// Returns the model of all stores of a version.
  package func model(of version: Version) -> StoreModel {
    model(of: version, entities: entities.filter { $0.versions.contains(version.number) })
  }

  /// Returns the model of one store of a version.
  package func model(of version: Version, in file: StoreFile) -> StoreModel {
    model(
      of: version,
      entities: entities.filter {
        $0.versions.contains(version.number) && file.entities.contains($0.name)
      })
  }

  private func model(of version: Version, entities: [SampleEntity]) -> StoreModel {
    var model = StoreModel()
    model.entities = entities.map { $0.described(in: version) }.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    model.versionIdentifiers = [version.identifier]
    return model
  }
}

/// An entity of an app in all versions.
struct SampleEntity: Sendable {
  let name: String
  var versions = 0...99
  var superentity: String?
  var isAbstract = false
  /// The properties that no two rows have alike, and in which versions.
  var unique: (properties: [String], versions: ClosedRange<Int>) = ([], 0...99)
  let properties: [SampleProperty]

  /// Returns the entity as one version has it.
  func described(in version: SampleApp.Version) -> ModelEntity {
    var entity = ModelEntity(name: name + version.suffix)
    entity.superentity = superentity.map { $0 + version.suffix }
    entity.isAbstract = isAbstract
    if unique.versions.contains(version.number) {
      entity.uniqueTogether = unique.properties.map { [$0] }
    }
    for property in properties where property.versions.contains(version.number) {
      switch property.content {
      case .attribute(let type):
        var attribute = ModelAttribute(name: property.name, type: type)
        attribute.className = type.className
        attribute.isOptional = property.isOptional
        attribute.isMarked = property.isMarked
        entity.attributes.append(attribute)
      case .composite(let parts):
        var attribute = ModelAttribute(name: property.name, type: .composite)
        attribute.elements = parts.map { part in
          var element = ModelAttribute(name: part.name, type: part.type)
          (element.className, element.isOptional) = (part.type.className, true)
          return element
        }
        attribute.isOptional = property.isOptional
        entity.attributes.append(attribute)
      case .toOne(let target, let inverse), .toMany(let target, let inverse, _):
        var relationship = ModelRelationship(
          name: property.name, destination: target + version.suffix, isToMany: false,
          deleteRule: .nullify)
        if case .toMany(_, _, let rule) = property.content {
          (relationship.isToMany, relationship.deleteRule) = (true, rule)
        }
        relationship.inverse = inverse
        relationship.isOptional = property.isOptional
        entity.relationships.append(relationship)
      }
    }
    entity.attributes.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    entity.relationships.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return entity
  }
}

/// A property of an entity in all versions that have it.
struct SampleProperty: Sendable {
  /// What it holds.
  enum Content: Sendable {
    case attribute(AttributeType)
    /// A value that has a column for each of its parts, and none of its own.
    case composite([Part])
    case toOne(String, inverse: String?)
    case toMany(String, inverse: String?, DeleteRule)
  }

  /// A part of a composite value.
  struct Part: Sendable {
    let name: String
    let type: AttributeType
  }

  let name: String
  let content: Content
  let isOptional: Bool
  let versions: ClosedRange<Int>
  /// Whether large values are in files of their own.
  var isMarked = false

  /// A value that is always there.
  static func required(
    _ name: String, _ type: AttributeType, in versions: ClosedRange<Int> = 0...99
  ) -> SampleProperty {
    SampleProperty(name: name, content: .attribute(type), isOptional: false, versions: versions)
  }

  /// A value that need not be there.
  static func optional(
    _ name: String, _ type: AttributeType, in versions: ClosedRange<Int> = 0...99
  ) -> SampleProperty {
    SampleProperty(name: name, content: .attribute(type), isOptional: true, versions: versions)
  }

  /// Data that need not be there, and are in a file of their own where they are large.
  static func external(_ name: String) -> SampleProperty {
    SampleProperty(
      name: name, content: .attribute(.binary), isOptional: true, versions: 0...99, isMarked: true)
  }

  /// A way to one row at most.
  static func toOne(_ name: String, _ target: String, inverse: String?) -> SampleProperty {
    SampleProperty(
      name: name, content: .toOne(target, inverse: inverse), isOptional: true, versions: 0...99)
  }

  /// A way to any number of rows.
  static func toMany(
    _ name: String, _ target: String, inverse: String?, _ rule: DeleteRule,
    isOptional: Bool = false, in versions: ClosedRange<Int> = 0...99
  ) -> SampleProperty {
    SampleProperty(
      name: name, content: .toMany(target, inverse: inverse, rule), isOptional: isOptional,
      versions: versions)
  }
}

extension AttributeType {
  /// The class of values of the type as models name it.
  fileprivate var className: String {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .transformable: "NSArray"
    case .undefined, .objectID, .composite, .other: ""
    }
  }
}
