package import SwiftDataStores

/// Writes models as stores keep them: a keyed archive, in which objects name each other by number.
package struct ModelArchive {
  private var objects: [SamplePropertyList] = [.string("$null")]
  private var entities: [String: Int] = [:]
  private var properties: [String: Int] = [:]
  private var classes: [String: Int] = [:]
  private let model: StoreModel

  /// Returns the archive as a cell of `Z_MODELCACHE` holds it.
  package static func content(of model: StoreModel) -> [UInt8] {
    Deflation.deflate(archive(of: model))
  }

  /// Returns the keyed archive of a model.
  package static func archive(of model: StoreModel) -> [UInt8] {
    var archive = ModelArchive(model: model)
    return archive.bytes()
  }

  private init(model: StoreModel) { self.model = model }

  private mutating func bytes() -> [UInt8] {
    let root = reserve()
    for entity in model.entities {
      entities[entity.name] = reserve()
      for relationship in entity.relationships {
        properties["\(entity.name).\(relationship.name)"] = reserve()
      }
    }
    for entity in model.entities {
      objects[entities[entity.name] ?? 0] = described(entity, of: root)
    }
    let names = model.entities.map { add(.string($0.name)) }
    let all = model.entities.map { entities[$0.name] ?? 0 }
    let mapping = object(
      ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy"],
      [
        ("length", .integer(Int64(names.count))), ("keys", .identifier(array(names))),
        ("version", .integer(1)),
      ])
    let values = array(all)
    let token = add(.string("__empty_slot_token_4c24_98dc_ac1e_b773__"))
    let dictionary = object(
      ["NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"],
      [
        ("values", .identifier(values)), ("searchMapping", .identifier(mapping)),
        ("emptyToken", .identifier(token)), ("version", .integer(1)),
      ])
    let identifiers = set(model.versionIdentifiers.map { add(.string($0)) })
    let configurations = self.dictionary([(add(.string("default")), set(all))])
    let type = type(["NSManagedObjectModel"])
    objects[root] = .dictionary([
      ("NSEntities", .identifier(dictionary)), ("$class", .identifier(type)),
      ("NSFetchRequestTemplates", .identifier(0)),
      ("NSVersionIdentifiers", .identifier(identifiers)),
      ("NSConfigurations", .identifier(configurations)),
    ])
    return SamplePropertyList.dictionary([
      ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
      ("$top", .dictionary([("root", .identifier(root))])), ("$objects", .array(objects)),
    ]).bytes
  }

  // MARK: Entities and properties

  private mutating func described(_ entity: ModelEntity, of root: Int) -> SamplePropertyList {
    let owner = entities[entity.name] ?? 0
    var members: [(Int, Int)] = []
    for attribute in entity.attributes {
      let name = add(.string(attribute.name))
      members.append((name, described(attribute, named: name, of: owner)))
    }
    for relationship in entity.relationships {
      let name = add(.string(relationship.name))
      let place = properties["\(entity.name).\(relationship.name)"] ?? 0
      objects[place] = described(relationship, named: name, of: owner)
      members.append((name, place))
    }
    let unique = array(
      entity.uniqueTogether.map { tuple in array(tuple.map { add(.string($0)) }, isMutable: true) },
      isMutable: true)
    let children = model.entities.filter { $0.superentity == entity.name }
    let name = add(.string(entity.name))
    let subentities = dictionary(
      children.map { (add(.string($0.name)), entities[$0.name] ?? 0) })
    let userInfo = dictionary([], isMutable: false)
    let properties = dictionary(members)
    let earlierName = add(.string(entity.earlierName ?? entity.name))
    var described: [(String, SamplePropertyList)] = [
      ("NSEntityName", .identifier(name)),
      ("$class", .identifier(type(["NSEntityDescription"]))),
      ("NSClassNameForEntity", .identifier(name)), ("NSUniqueTuples", .identifier(unique)),
      ("NSUserInfo", .identifier(userInfo)), ("NSSubentities", .identifier(subentities)),
      ("NSVersionHashModifier", .identifier(0)), ("NSProperties", .identifier(properties)),
      ("NSRenamingIdentifier", .identifier(earlierName)),
      ("NSManagedObjectModel", .identifier(root)),
      ("NSSuperentity", .identifier(entity.superentity.flatMap { entities[$0] } ?? 0)),
    ]
    if entity.isAbstract { described.append(("NSIsAbstract", .boolean(true))) }
    return .dictionary(described)
  }

  private mutating func described(
    _ attribute: ModelAttribute, named name: Int, of owner: Int
  ) -> Int {
    var number: Int64 = 0
    while AttributeType(number: number) != attribute.type { number += 100 }
    let className = add(.string(attribute.className))
    let earlierName = attribute.earlierName.map { add(.string($0)) } ?? name
    var members: [(String, SamplePropertyList)] = [
      ("NSDefaultValue", .identifier(0)), ("NSAttributeType", .integer(number)),
      ("NSAttributeValueClassName", .identifier(className)), ("NSEntity", .identifier(owner)),
      ("NSValueTransformerName", .identifier(0)), ("NSPropertyName", .identifier(name)),
      ("NSFlagsKey", .integer(attribute.isMarked ? 4 : 0)),
      ("NSRenamingIdentifier", .identifier(earlierName)),
    ]
    // What is not optional does not say so.
    if attribute.isOptional { members.append(("NSIsOptional", .boolean(true))) }
    if attribute.isTransient { members.append(("NSIsTransient", .boolean(true))) }
    if attribute.type == .composite {
      let elements = array(
        attribute.elements.map { described($0, named: add(.string($0.name)), of: owner) })
      members.append(("NSElements", .identifier(elements)))
      return object(
        ["NSCompositeAttributeDescription", "NSAttributeDescription", "NSPropertyDescription"],
        members)
    }
    return object(["NSAttributeDescription", "NSPropertyDescription"], members)
  }

  private mutating func described(
    _ relationship: ModelRelationship, named name: Int, of owner: Int
  ) -> SamplePropertyList {
    var rule: Int64 = 0
    while DeleteRule(number: rule) != relationship.deleteRule { rule += 1 }
    let inverse = relationship.inverse
    let destination = add(.string(relationship.destination))
    let back = inverse.map { add(.string($0)) } ?? 0
    let type = type(["NSRelationshipDescription", "NSPropertyDescription"])
    var members: [(String, SamplePropertyList)] = [
      ("NSDestinationEntity", .identifier(entities[relationship.destination] ?? 0)),
      ("NSEntity", .identifier(owner)), ("NSDeleteRule", .integer(rule)),
      ("$class", .identifier(type)),
      (
        "NSInverseRelationship",
        .identifier(inverse.flatMap { properties["\(relationship.destination).\($0)"] } ?? 0)
      ),
      ("_NSInverseRelationshipName", .identifier(back)),
      ("NSMaxCount", .integer(relationship.isToMany ? 0 : 1)),
      ("NSPropertyName", .identifier(name)), ("NSRenamingIdentifier", .identifier(name)),
      ("NSMinCount", .integer(0)), ("_NSDestinationEntityName", .identifier(destination)),
    ]
    if relationship.isOptional { members.append(("NSIsOptional", .boolean(true))) }
    return .dictionary(members)
  }

  // MARK: Objects

  private mutating func reserve() -> Int { add(.string("")) }

  private mutating func add(_ value: SamplePropertyList) -> Int {
    objects.append(value)
    return objects.count - 1
  }

  /// Adds an object of a class and those that the class inherits from.
  private mutating func object(
    _ classes: [String], _ members: [(String, SamplePropertyList)]
  ) -> Int {
    let type = type(classes)
    return add(.dictionary(members + [("$class", .identifier(type))]))
  }

  private mutating func array(_ elements: [Int], isMutable: Bool = false) -> Int {
    let type = type(isMutable ? ["NSMutableArray", "NSArray"] : ["NSArray"])
    return add(
      .dictionary([
        ("NS.objects", .array(elements.map { .identifier($0) })), ("$class", .identifier(type)),
      ]))
  }

  private mutating func set(_ elements: [Int]) -> Int {
    let type = type(["NSSet"])
    return add(
      .dictionary([
        ("NS.objects", .array(elements.map { .identifier($0) })), ("$class", .identifier(type)),
      ]))
  }

  private mutating func dictionary(_ members: [(Int, Int)], isMutable: Bool = true) -> Int {
    let type = type(isMutable ? ["NSMutableDictionary", "NSDictionary"] : ["NSDictionary"])
    return add(
      .dictionary([
        ("NS.keys", .array(members.map { .identifier($0.0) })),
        ("NS.objects", .array(members.map { .identifier($0.1) })), ("$class", .identifier(type)),
      ]))
  }

  /// Returns the object that describes a class, by its name and those it inherits from.
  private mutating func type(_ names: [String]) -> Int {
    if let known = classes[names[0]] { return known }
    let id = add(
      .dictionary([
        ("$classname", .string(names[0])),
        ("$classes", .array((names + ["NSObject"]).map { .string($0) })),
      ]))
    classes[names[0]] = id
    return id
  }
}
