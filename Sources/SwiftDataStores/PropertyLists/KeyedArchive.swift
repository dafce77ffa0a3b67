/// A keyed archive, looked at as the property list it is: no class is ever made from it.
struct KeyedArchive {
  /// How many members an object may have: a search looks at all of them.
  private static let maximumMembers = 256

  private let objects: PropertyListElements
  /// The object the archive is of.
  let root: PropertyListValue

  /// Takes `{$archiver, $version, $top: {root}, $objects: [$null, ...]}`.
  init(_ list: PropertyList) throws(PropertyListError) {
    let archive = list.root
    guard archive.count.map({ $0 <= Self.maximumMembers }) ?? false,
      archive["$archiver"]?.text == "NSKeyedArchiver"
    else { throw PropertyListError(.unexpected("archive"), at: archive.offset) }
    guard let objects = archive["$objects"]?.elements, let top = archive["$top"],
      top.count.map({ $0 <= Self.maximumMembers }) ?? false, let root = top["root"]?.identifier,
      objects.indices.contains(root), root != 0
    else { throw PropertyListError(.unexpected("root"), at: archive.offset) }
    self.objects = objects
    self.root = objects[root]
  }

  /// Returns what a member of an object refers to; nil if it is absent or refers to nothing.
  func member(
    _ name: StaticString, of object: PropertyListValue
  ) throws(PropertyListError) -> PropertyListValue? {
    guard let count = object.count, object.members != nil else {
      throw PropertyListError(.unexpected("object"), at: object.offset)
    }
    guard count <= Self.maximumMembers else {
      throw PropertyListError(.limitExceeded("members"), at: object.offset)
    }
    return try object[name].flatMap { value throws(PropertyListError) in try resolve(value) }
  }

  /// Returns the object that a reference names, other values as they are; nil for none.
  func resolve(_ value: PropertyListValue) throws(PropertyListError) -> PropertyListValue? {
    guard let identifier = value.identifier else { return value }
    guard objects.indices.contains(identifier) else {
      throw PropertyListError(.malformed("a reference"), at: value.offset)
    }
    // The first object stands for nil.
    return identifier == 0 ? nil : objects[identifier]
  }

  /// Returns the name of the class an object was of; nil for what is no object.
  func className(of object: PropertyListValue) throws(PropertyListError) -> String? {
    guard let type = try member("$class", of: object) else { return nil }
    return try member("$classname", of: type)?.text
  }

  /// Returns the text that a member refers to; nil if it is absent.
  func text(
    _ name: StaticString, of object: PropertyListValue
  ) throws(PropertyListError) -> String? {
    guard let value = try member(name, of: object) else { return nil }
    if let text = value.text { return text }
    // Strings that could be changed are objects.
    guard value.members != nil, let text = try member("NS.string", of: value)?.text else {
      throw PropertyListError(.unexpected("text"), at: value.offset)
    }
    return text
  }

  /// Returns the elements of an archived array or set.
  func elements(of object: PropertyListValue) throws(PropertyListError) -> PropertyListElements {
    guard let elements = try member("NS.objects", of: object)?.elements else {
      throw PropertyListError(.unexpected("list"), at: object.offset)
    }
    return elements
  }

  /// Returns the keys and values of an archived dictionary, in either of the forms that models have.
  func members(
    of object: PropertyListValue
  ) throws(PropertyListError) -> (keys: PropertyListElements, values: PropertyListElements) {
    let (keys, values): (PropertyListElements, PropertyListElements)
    if let mapping = try member("searchMapping", of: object) {
      guard let names = try member("keys", of: mapping), let list = try member("values", of: object)
      else { throw PropertyListError(.unexpected("list"), at: object.offset) }
      (keys, values) = (try elements(of: names), try elements(of: list))
    } else {
      guard let names = try member("NS.keys", of: object)?.elements else {
        throw PropertyListError(.unexpected("list of keys"), at: object.offset)
      }
      (keys, values) = (names, try elements(of: object))
    }
    guard keys.count == values.count else {
      throw PropertyListError(.malformed("a dictionary"), at: object.offset)
    }
    return (keys, values)
  }
}
