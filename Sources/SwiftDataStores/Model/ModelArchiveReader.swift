/// Reads the model that a store keeps: DEFLATE of a keyed archive, or the archive as it is.
struct ModelArchiveReader {
  /// How many entities and properties are read before somebody must be playing tricks.
  private static let maximumCount = 50_000
  private static let maximumEntityCount = 2_000
  /// How deep composite values may be in composite values.
  private static let maximumDepth = 16
  /// The flags of an attribute whose values may lie outside of the database: in files of the framework's
  /// own (`allowsExternalBinaryDataStorage`), or in files that the app hands over.
  private static let markingFlags: Int64 = 0x04 | 0x20

  private let archive: KeyedArchive
  private var remaining = maximumCount

  /// Reads a model from the bytes of a cell.
  static func read(_ content: [UInt8]) throws(PropertyListError) -> StoreModel {
    var bytes = content
    if !BinaryPropertyListReader.recognizes(content), !XMLPropertyListReader.recognizes(content) {
      bytes = try Inflation.inflate(content, limit: PropertyList.maximumByteCount)
    }
    var reader = ModelArchiveReader(archive: try KeyedArchive(try PropertyList(bytes)))
    return try reader.model()
  }

  private init(archive: KeyedArchive) { self.archive = archive }

  private mutating func model() throws(PropertyListError) -> StoreModel {
    guard let entities = try archive.member("NSEntities", of: archive.root) else {
      throw PropertyListError(.unexpected("entities"), at: archive.root.offset)
    }
    var model = StoreModel()
    let (keys, values) = try archive.members(of: entities)
    for index in keys.indices {
      guard let name = try archive.resolve(keys[index])?.text,
        let value = try archive.resolve(values[index])
      else { throw PropertyListError(.unexpected("entity"), at: values[index].offset) }
      // A mapping may have slots for entities that the dictionary does not have.
      if value.text != nil { continue }
      guard model.entities.count < Self.maximumEntityCount else {
        throw PropertyListError(.limitExceeded("entities"), at: value.offset)
      }
      try count(value)
      model.entities.append(try entity(value, named: name))
    }
    model.entities.sort { Self.precedes($0.name, $1.name) }
    if let identifiers = try archive.member("NSVersionIdentifiers", of: archive.root) {
      for element in try archive.elements(of: identifiers) {
        try count(element)
        if let text = try archive.resolve(element)?.text { model.versionIdentifiers.append(text) }
      }
    }
    model.versionIdentifiers.sort(by: Self.precedes)
    return model
  }

  private mutating func entity(
    _ value: PropertyListValue, named name: String
  ) throws(PropertyListError) -> ModelEntity {
    var entity = ModelEntity(name: name)
    if let parent = try archive.member("NSSuperentity", of: value) {
      entity.superentity = try archive.text("NSEntityName", of: parent)
    }
    entity.isAbstract = try archive.member("NSIsAbstract", of: value)?.boolean ?? false
    entity.earlierName = try earlierName(of: value, now: name)
    if let tuples = try archive.member("NSUniqueTuples", of: value) {
      for tuple in try archive.elements(of: tuples) {
        try count(tuple)
        guard let tuple = try archive.resolve(tuple) else { continue }
        var names: [String] = []
        for element in try archive.elements(of: tuple) {
          try count(element)
          guard let element = try archive.resolve(element) else { continue }
          // One by an expression has no name.
          if let text = element.text { names.append(text) }
        }
        entity.uniqueTogether.append(names)
      }
    }
    guard let properties = try archive.member("NSProperties", of: value) else { return entity }
    let (keys, values) = try archive.members(of: properties)
    for index in keys.indices {
      guard let name = try archive.resolve(keys[index])?.text,
        let property = try archive.resolve(values[index])
      else { throw PropertyListError(.unexpected("property"), at: values[index].offset) }
      try count(property)
      try add(property, named: name, to: &entity)
    }
    entity.attributes.sort { Self.precedes($0.name, $1.name) }
    entity.relationships.sort { Self.precedes($0.name, $1.name) }
    return entity
  }

  private mutating func add(
    _ value: PropertyListValue, named name: String, to entity: inout ModelEntity
  ) throws(PropertyListError) {
    // Told apart by what they have, because an app may have classes of its own for both.
    if let type = try archive.member("NSAttributeType", of: value)?.integer {
      entity.attributes.append(try attribute(value, named: name, type, depth: 0))
    } else if let count = try archive.member("NSMaxCount", of: value)?.integer {
      var destination = try archive.text("_NSDestinationEntityName", of: value)
      if destination == nil, let target = try archive.member("NSDestinationEntity", of: value) {
        destination = try archive.text("NSEntityName", of: target)
      }
      let rule = try archive.member("NSDeleteRule", of: value)?.integer
      var relationship = ModelRelationship(
        name: name, destination: destination ?? "", isToMany: count != 1,
        deleteRule: DeleteRule(number: rule ?? 1))
      relationship.inverse = try archive.text("_NSInverseRelationshipName", of: value)
      if relationship.inverse == nil,
        let inverse = try archive.member("NSInverseRelationship", of: value)
      {
        relationship.inverse = try archive.text("NSPropertyName", of: inverse)
      }
      relationship.isOptional = try archive.member("NSIsOptional", of: value)?.boolean ?? false
      relationship.isTransient = try archive.member("NSIsTransient", of: value)?.boolean ?? false
      relationship.earlierName = try earlierName(of: value, now: name)
      entity.relationships.append(relationship)
    }
    // Anything else, such as a fetched property, is in no table.
  }

  private mutating func attribute(
    _ value: PropertyListValue, named name: String, _ type: Int64, depth: Int
  ) throws(PropertyListError) -> ModelAttribute {
    var attribute = ModelAttribute(name: name, type: AttributeType(number: type))
    attribute.className = try archive.text("NSAttributeValueClassName", of: value) ?? ""
    attribute.isOptional = try archive.member("NSIsOptional", of: value)?.boolean ?? false
    attribute.isTransient = try archive.member("NSIsTransient", of: value)?.boolean ?? false
    attribute.earlierName = try earlierName(of: value, now: name)
    if let flags = try archive.member("NSFlagsKey", of: value)?.integer {
      attribute.isMarked = flags & Self.markingFlags != 0
    }
    if attribute.type == .composite {
      attribute.elements = try elements(ofComposite: value, depth: depth + 1)
    }
    return attribute
  }

  /// Reads the parts of a composite value: the one list of attributes among its members, whatever that
  /// is called, because Apple does not say. Without such a list it has none.
  private mutating func elements(
    ofComposite value: PropertyListValue, depth: Int
  ) throws(PropertyListError) -> [ModelAttribute] {
    guard depth <= Self.maximumDepth else {
      throw PropertyListError(.limitExceeded("composites in composites"), at: value.offset)
    }
    guard let members = value.members?.values else { return [] }
    for index in members.indices {
      guard let member = try archive.resolve(members[index]), member.members != nil,
        let list = try archive.member("NS.objects", of: member)?.elements
      else { continue }
      var elements: [ModelAttribute] = []
      for index in list.indices {
        guard let element = try archive.resolve(list[index]), element.members != nil,
          let type = try archive.member("NSAttributeType", of: element)?.integer,
          let name = try archive.text("NSPropertyName", of: element)
        else { break }
        try count(element)
        elements.append(try attribute(element, named: name, type, depth: depth))
      }
      if !elements.isEmpty, elements.count == list.count { return elements }
    }
    return []
  }

  private func earlierName(
    of value: PropertyListValue, now name: String
  ) throws(PropertyListError) -> String? {
    guard let earlier = try archive.text("NSRenamingIdentifier", of: value),
      !earlier.utf8.elementsEqual(name.utf8)
    else { return nil }
    return earlier
  }

  private mutating func count(_ value: PropertyListValue) throws(PropertyListError) {
    remaining -= 1
    guard remaining >= 0 else {
      throw PropertyListError(.limitExceeded("entities and properties"), at: value.offset)
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
