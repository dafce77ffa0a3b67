import Automerge

/// A named value on a range of text units, by bytes.
struct ModelMark: Hashable {
  var start: Int
  var end: Int
  var name: [UInt8]
  var value: ModelScalar
}

extension ModelElement {
  /// Of the end of a mark, the id of its beginning: the one right before its own (format.md 5.9).
  var endedMark: ModelOperation.ID? {
    guard insert.action == .mark, insert.markName == nil else { return nil }
    return ModelOperation.ID(counter: insert.id.counter - 1, actor: insert.id.actor)
  }
}

extension [ModelElement] {
  /// Returns what is marked, element by element: for each present element its first unit, its
  /// width, and the value of every name there. A null value is no mark.
  private func marked(
    in encoding: TextEncoding
  ) -> [(start: Int, width: Int, marks: [[UInt8]: ModelScalar])] {
    var open: [ModelOperation] = []
    var start = 0
    var result: [(start: Int, width: Int, marks: [[UInt8]: ModelScalar])] = []
    for element in self {
      if let begin = element.endedMark {
        open.removeAll { $0.id == begin }
      } else if element.insert.action == .mark {
        open.append(element.insert)
      } else if element.isPresent {
        var marks: [[UInt8]: ModelScalar] = [:]
        for mark in open.sorted(by: { $0.id < $1.id }) {
          if let name = mark.markName { marks[name] = mark.value }
        }
        let width = element.width(in: encoding)
        result.append((start, width, marks.filter { !$0.value.isNull }))
        start += width
      }
    }
    return result
  }

  /// Returns the longest ranges of equal value, by name, then by start.
  func marks(in encoding: TextEncoding) -> [ModelMark] {
    var marks: [ModelMark] = []
    for (start, width, values) in marked(in: encoding) where width > 0 {
      for (name, value) in values {
        let last = marks.lastIndex { $0.name == name && $0.value == value && $0.end == start }
        if let last {
          marks[last].end = start + width
        } else {
          marks.append(ModelMark(start: start, end: start + width, name: name, value: value))
        }
      }
    }
    return marks.sorted {
      $0.name == $1.name ? $0.start < $1.start : $0.name.lexicographicallyPrecedes($1.name)
    }
  }

  /// Returns the values of all names at the element that contains unit `index`.
  func marks(at index: Int, in encoding: TextEncoding) -> [[UInt8]: ModelScalar] {
    marked(in: encoding).first { $0.start <= index && index < $0.start + $0.width }?.marks ?? [:]
  }
}
