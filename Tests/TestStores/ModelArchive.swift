import CZlib
package import SwiftDataStores

/// Writes models as stores keep them.
package enum ModelArchive {
  /// Returns the keyed archive of a model.
  package static func archive(of model: StoreModel) -> [UInt8] {
    var writer = Writer()
    return writer.write(model)
  }

  /// Returns the archive as a cell of `Z_MODELCACHE` holds it.
  package static func content(of model: StoreModel) -> [UInt8] { deflate(archive(of: model)) }

  /// Deflates bytes without a header around them.
  package static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    // SAFETY: the stream is initialised here and ended below; the buffers outlive the calls.
    var stream = unsafe z_stream()
    unsafe deflateInit2_(
      &stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 100)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        unsafe CZlib.deflate(&stream, Z_FINISH)
        return Int(unsafe stream.total_out)
      }
    }
    unsafe deflateEnd(&stream)
    return Array(output.prefix(count))
  }

  private struct Writer {
    private var objects: [TestPropertyList] = [.string("$null")]
    private var entities: [String: Int] = [:]
    private var properties: [String: Int] = [:]
    private var classes: [String: Int] = [:]

    mutating func write(_ model: StoreModel) -> [UInt8] {
      let root = reserve()
      for entity in model.entities {
        entities[entity.name] = reserve()
        for relationship in entity.relationships {
          properties["\(entity.name).\(relationship.name)"] = reserve()
        }
      }
      for entity in model.entities { objects[entities[entity.name] ?? 0] = self.entity(entity) }
      let names = model.entities.map { TestPropertyList.string($0.name) }.map { add($0) }
      let mapping = add(
        .dictionary([
          ("$class", .identifier(type("NSKnownKeysMappingStrategy1"))),
          ("length", .integer(Int64(names.count))),
          ("keys", .identifier(array(names))), ("version", .integer(1)),
        ]))
      let all = array(model.entities.map { entities[$0.name] ?? 0 })
      let dictionary = add(
        .dictionary([
          ("values", .identifier(all)),
          ("$class", .identifier(type("NSKnownKeysDictionary1"))),
          ("searchMapping", .identifier(mapping)),
        ]))
      let versions = array(model.versionIdentifiers.map { add(.string($0)) })
      objects[root] = .dictionary([
        ("NSEntities", .identifier(dictionary)),
        ("$class", .identifier(type("NSManagedObjectModel"))),
        ("NSVersionIdentifiers", .identifier(versions)),
      ])
      return TestPropertyList.dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .identifier(root))])), ("$objects", .array(objects)),
      ]).bytes
    }

    private mutating func entity(_ entity: ModelEntity) -> TestPropertyList {
      var (names, values): ([Int], [Int]) = ([], [])
      for attribute in entity.attributes {
        names.append(add(.string(attribute.name)))
        var number: Int64 = 0
        while AttributeType(number: number) != attribute.type { number += 100 }
        values.append(
          add(
            .dictionary([
              ("$class", .identifier(type("NSAttributeDescription"))),
              ("NSAttributeType", .integer(number)),
              ("NSAttributeValueClassName", .identifier(add(.string(attribute.className)))),
              ("NSPropertyName", .identifier(names[names.count - 1])),
              ("NSIsOptional", .boolean(attribute.isOptional)),
              ("NSIsTransient", .boolean(attribute.isTransient)),
              (
                "NSRenamingIdentifier",
                .identifier(add(.string(attribute.earlierName ?? attribute.name)))
              ),
            ])))
      }
      for relationship in entity.relationships {
        names.append(add(.string(relationship.name)))
        let inverse = relationship.inverse
        var rule: Int64 = 0
        while DeleteRule(number: rule) != relationship.deleteRule { rule += 1 }
        let place = properties["\(entity.name).\(relationship.name)"] ?? 0
        objects[place] = .dictionary([
          ("$class", .identifier(type("NSRelationshipDescription"))),
          ("NSDeleteRule", .integer(rule)),
          ("NSMaxCount", .integer(relationship.isToMany ? 0 : 1)), ("NSMinCount", .integer(0)),
          ("NSPropertyName", .identifier(names[names.count - 1])),
          ("NSIsOptional", .boolean(relationship.isOptional)),
          ("NSDestinationEntity", .identifier(entities[relationship.destination] ?? 0)),
          ("_NSDestinationEntityName", .identifier(add(.string(relationship.destination)))),
          (
            "NSInverseRelationship",
            .identifier(
              inverse.flatMap { properties["\(relationship.destination).\($0)"] } ?? 0)
          ),
          ("_NSInverseRelationshipName", .identifier(inverse.map { add(.string($0)) } ?? 0)),
        ])
        values.append(place)
      }
      let unique = array(
        entity.uniqueTogether.map { tuple in array(tuple.map { add(.string($0)) }) })
      return .dictionary([
        ("NSEntityName", .identifier(add(.string(entity.name)))),
        ("$class", .identifier(type("NSEntityDescription"))),
        ("NSUniqueTuples", .identifier(unique)),
        ("NSIsAbstract", .boolean(entity.isAbstract)),
        ("NSSuperentity", .identifier(entity.superentity.flatMap { entities[$0] } ?? 0)),
        (
          "NSProperties",
          .identifier(
            add(
              .dictionary([
                ("$class", .identifier(type("NSMutableDictionary"))),
                ("NS.keys", .array(names.map { .identifier($0) })),
                ("NS.objects", .array(values.map { .identifier($0) })),
              ])))
        ),
      ])
    }

    private mutating func reserve() -> Int { add(.string("")) }

    private mutating func add(_ value: TestPropertyList) -> Int {
      objects.append(value)
      return objects.count - 1
    }

    private mutating func array(_ elements: [Int]) -> Int {
      let type = type("NSArray")
      return add(
        .dictionary([
          ("$class", .identifier(type)),
          ("NS.objects", .array(elements.map { .identifier($0) })),
        ]))
    }

    private mutating func type(_ name: String) -> Int {
      if let known = classes[name] { return known }
      let id = add(
        .dictionary([("$classname", .string(name)), ("$classes", .array([.string(name)]))]))
      classes[name] = id
      return id
    }
  }
}
