import Automerge
import FolderDocuments

/// What of a value a copy would not have: copies have the values that readers see, and the letters of
/// texts.
struct CopyLoss {
  private enum Kind {
    case marks
    case elements
    case letters
    case values
  }

  private let kind: Kind
  /// The names and indexes from the value to where it lies.
  private let path: [String]

  /// What would be lost, behind the name of what holds it.
  var problem: String {
    let place = path.isEmpty ? "" : " at \(path.joined(separator: "."))"
    return switch kind {
    case .marks: "has a text with marks\(place), which would be lost in a copy"
    case .elements:
      "has a text with blocks or other things than letters\(place), which would be lost in a copy"
    case .letters:
      "has a text with letters in conflict\(place), all but one of which would be lost in a copy"
    case .values: "has values in conflict\(place), all but one of which would be lost in a copy"
    }
  }

  /// Returns the first loss in a value, at any depth; nil if it can be copied whole.
  ///
  /// - Parameter countsValues: whether values beside those that readers see count, in maps and lists.
  static func first(
    in value: DocumentValue, of document: DocumentState, countsValues: Bool
  ) -> CopyLoss? {
    // Steps refer to the one before: documents nest as deep as they like.
    var steps: [(name: String, parent: Int?)] = []
    var pending: [(value: DocumentValue, step: Int?)] = [(value, nil)]
    func path(to step: Int?) -> [String] {
      var names: [String] = []
      var next = step
      while let index = next {
        names.append(steps[index].name)
        next = steps[index].parent
      }
      return names.reversed()
    }
    while let (value, step) = pending.popLast() {
      if let kind = kind(ofText: value, in: document) {
        return CopyLoss(kind: kind, path: path(to: step))
      }
      for (name, values) in document.members(of: value, unlessSole: { !$0.isObject }) {
        steps.append((name, step))
        if countsValues, values.count > 1 {
          return CopyLoss(kind: .values, path: path(to: steps.count - 1))
        }
        if let seen = values.last { pending.append((seen, steps.count - 1)) }
      }
    }
    return nil
  }

  private static func kind(ofText value: DocumentValue, in document: DocumentState) -> Kind? {
    guard value.content == .object(.text) else { return nil }
    let (marks, unpairedCount) = document.placedMarks(of: value.id)
    if !marks.isEmpty || unpairedCount > 0 { return .marks }
    var kind: Kind?
    document.forEachElement(of: value.id) { _, group in
      let values = document.values(in: group)
      if values.contains(where: { !$0.isString }) {
        kind = .elements
      } else if values.count > 1, kind == nil {
        kind = .letters
      }
    }
    return kind
  }
}

extension DocumentState {
  /// Returns the values of each key or element of a map or list, ending with the one that wins, unless
  /// there is one alone of which nothing is to be said.
  func members(
    of object: DocumentValue, unlessSole isPlain: (DocumentValue) -> Bool
  ) -> [(name: String, values: [DocumentValue])] {
    var members: [(String, [DocumentValue])] = []
    func add(_ name: @autoclosure () -> String, _ values: [DocumentValue]) {
      if values.isEmpty || values.count == 1 && isPlain(values[0]) { return }
      members.append((name(), values))
    }
    switch object.content {
    case .object(.map):
      let pool = pool
      forEachKey(of: object.id) { name, group in
        add(String(decoding: pool[name], as: UTF8.self), values(in: group))
      }
    case .object(.list):
      var index = 0
      forEachElement(of: object.id) { _, group in
        add(String(index), values(in: group))
        index += 1
      }
    default: break
    }
    return members
  }
}

extension DocumentValue {
  /// Whether it is an object.
  fileprivate var isObject: Bool { if case .object = content { true } else { false } }
}
