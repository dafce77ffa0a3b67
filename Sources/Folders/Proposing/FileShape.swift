/// What a JSON file looks like from outside: whether it is one object or holds many, and the names in it.
struct FileShape {
  /// Where the objects are of which a file holds many.
  enum Container: Hashable {
    /// The file is a list of objects.
    case list
    /// The file is an object of objects.
    case map
    /// A member of the file is a list of objects.
    case listMember([UInt8])
    /// A member of the file is an object of objects.
    case mapMember([UInt8])

    /// What a profile says about it.
    var content: EntityHome.Content {
      switch self {
      case .list: .elements(JSONPointer())
      case .map: .members(JSONPointer())
      case .listMember(let name): .elements(JSONPointer(tokens: [name]))
      case .mapMember(let name): .members(JSONPointer(tokens: [name]))
      }
    }

    /// The member, if it is one.
    var name: [UInt8]? {
      switch self {
      case .list, .map: nil
      case .listMember(let name), .mapMember(let name): name
      }
    }
  }

  /// The names that are most likely those of an identity.
  static let identityNames = ["id", "_id", "uuid", "guid", "identifier", "key"]
  /// The most names that are compared.
  private static let largestNameCount = 64

  /// Where it holds many; nil if it is one object.
  var container: Container?
  /// Whether it is one object with an identity of its own.
  private(set) var isIdentified = false
  /// The hashes of its names.
  private(set) var names: Set<UInt64> = []
  /// The hashes of the names of members that are empty lists or objects.
  private(set) var emptyNames: Set<UInt64> = []

  /// Looks at a file; nil if it is no object and no list of objects.
  init?(of tape: JSONTape) {
    switch tape.kind(of: 0) {
    case .array where tape.childCount(of: 0) == 0 || Self.isListOfObjects(0, tape):
      container = .list
    case .object:
      look(at: tape)
    default: return nil
    }
  }

  private mutating func look(at tape: JSONTape) {
    var containers: [Container] = []
    var hasIdentity = false
    var member = 1
    while member < tape.node(after: 0) {
      let name = tape.bytes(of: member)
      let value = member + 1
      let isContainer = tape.nodes[value].isContainer
      if names.count < Self.largestNameCount {
        names.insert(ValueHash.of(name.span))
        if isContainer, tape.childCount(of: value) == 0 {
          emptyNames.insert(ValueHash.of(name.span))
        }
      }
      if tape.kind(of: value) == .array, Self.isListOfObjects(value, tape) {
        containers.append(.listMember(name))
      } else if tape.kind(of: value) == .object, Self.isMapOfAlikes(value, tape) {
        containers.append(.mapMember(name))
      }
      let isNamedSo = Self.identityNames.contains { tape.isEqual(member, to: $0.utf8) }
      let isUUID = tape.kind(of: value) == .string && tape.identity(at: value) != nil
      hasIdentity = hasIdentity || isUUID || (isNamedSo && !isContainer)
      member = tape.node(after: value)
    }
    // What has an identity of its own is one entity, whatever is in it.
    isIdentified = hasIdentity
    if hasIdentity { return }
    if Self.isMapOfAlikes(0, tape) {
      container = .map
    } else if containers.count == 1 {
      container = containers[0]
    }
  }

  private static func isListOfObjects(_ array: Int, _ tape: JSONTape) -> Bool {
    var element = array + 1
    while element < tape.node(after: array) {
      guard tape.kind(of: element) == .object else { return false }
      element = tape.node(after: element)
    }
    return tape.childCount(of: array) > 0
  }

  /// Whether an object has two members at least, all are objects, and each has a name of the first one's.
  private static func isMapOfAlikes(_ object: Int, _ tape: JSONTape) -> Bool {
    guard tape.childCount(of: object) > 1 else { return false }
    var first: Set<UInt64> = []
    var member = object + 1
    while member < tape.node(after: object) {
      guard tape.kind(of: member + 1) == .object else { return false }
      let names = Self.names(of: member + 1, tape)
      if first.isEmpty { first = names }
      if first.isEmpty || names.isDisjoint(with: first) { return false }
      member = tape.node(after: member + 1)
    }
    return true
  }

  private static func names(of object: Int, _ tape: JSONTape) -> Set<UInt64> {
    var names: Set<UInt64> = []
    var member = object + 1
    while member < tape.node(after: object), names.count < largestNameCount {
      names.insert(ValueHash.of(tape.text.span.extracting(tape.range(of: member))))
      member = tape.node(after: member + 1)
    }
    return names
  }

  // MARK: Likeness

  /// Whether a file is one of those that this is the shape of.
  func isLike(_ file: FileShape) -> Bool {
    if container == file.container {
      guard container == nil else { return true }
      let least = min(names.count, file.names.count)
      return 2 * names.intersection(file.names).count >= least
    }
    return file.container == nil && holdsEmpty(file) || container == nil && file.holdsEmpty(self)
  }

  /// Whether what this holds many of is empty in another file.
  private func holdsEmpty(_ file: FileShape) -> Bool {
    container?.name.map { file.emptyNames.contains(ValueHash.of($0.span)) } ?? false
  }

  /// Takes in what another one has.
  mutating func formUnion(_ other: FileShape) {
    if container == nil, other.holdsEmpty(self) { container = other.container }
    emptyNames.formUnion(other.emptyNames)
    for name in other.names where names.count < 4 * Self.largestNameCount { names.insert(name) }
  }
}
