import Automerge
import FolderDocuments

/// A field of an entity, where a document has it, and the values it has there.
struct FieldPlace {
  /// What the values lie under.
  enum Key {
    case name([UInt8])
    /// An element of a list, by the operation that inserted it.
    case element(OpID)
  }

  /// How many names and indexes a field may consist of.
  static let mostSteps = 128

  /// The map or list that the field is of.
  let object: OpID
  let key: Key
  let group: ValueGroup
  /// What nobody replaced or deleted, in ascending order; readers see the last.
  let values: [DocumentValue]
  /// The names and indexes on the way there.
  let path: [String]

  /// Finds a field by its name, or as reports tell it, the names and indexes of the way there with
  /// dots between them; nil if readers see nothing there.
  static func find(
    _ field: String, in document: DocumentState, below map: OpID
  ) -> FieldPlace? {
    let steps = field.split(separator: ".", omittingEmptySubsequences: false)
    guard steps.count <= mostSteps else { return nil }
    var search = Search(document: document, steps: steps.map(String.init))
    return search.find(from: 0, in: DocumentValue(id: map, content: .object(.map)), path: [])
  }

  /// Finds a field by the names and indexes of the way there from the root.
  static func at(_ path: [String], in document: DocumentState) -> FieldPlace? {
    var object = StateWalk.root
    for (depth, name) in path.enumerated() {
      guard let (key, group) = entry(name, of: object, in: document) else { return nil }
      let values = document.values(in: group)
      guard let seen = values.last else { return nil }
      if depth == path.count - 1 {
        return FieldPlace(object: object.id, key: key, group: group, values: values, path: path)
      }
      object = seen
    }
    return nil
  }

  private static func entry(
    _ name: String, of object: DocumentValue, in document: DocumentState
  ) -> (Key, ValueGroup)? {
    switch object.content {
    case .object(.map):
      let key = Array(name.utf8)
      return document.group(of: object.id, key: key).map { (.name(key), $0) }
    case .object(.list):
      guard var left = Int(name), left >= 0 else { return nil }
      var found: (Key, ValueGroup)?
      document.forEachElement(of: object.id) { element, group in
        if left == 0 { found = (.element(element), group) }
        left -= 1
      }
      return found
    default: return nil
    }
  }

  /// Names may have dots themselves, so several ways are tried, each place on them once.
  private struct Search {
    let document: DocumentState
    let steps: [String]
    private var failed: Set<Failure> = []

    private struct Failure: Hashable {
      var object: OpID
      var step: Int
    }

    init(document: DocumentState, steps: [String]) {
      self.document = document
      self.steps = steps
    }

    mutating func find(from start: Int, in object: DocumentValue, path: [String]) -> FieldPlace? {
      let failure = Failure(object: object.id, step: start)
      guard !failed.contains(failure) else { return nil }
      for end in (start..<steps.count).reversed() {
        let name = steps[start...end].joined(separator: ".")
        guard let (key, group) = FieldPlace.entry(name, of: object, in: document),
          document.isVisible(group)
        else { continue }
        let values = document.values(in: group)
        let path = path + [name]
        if end == steps.count - 1 {
          return FieldPlace(object: object.id, key: key, group: group, values: values, path: path)
        }
        if let seen = values.last, let found = find(from: end + 1, in: seen, path: path) {
          return found
        }
      }
      failed.insert(failure)
      return nil
    }
  }
}
