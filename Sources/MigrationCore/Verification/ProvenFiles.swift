import FolderState
import Folders
import SafeFiles

/// A legacy file of the folder itself that a clean-up may move.
struct ProvenFile: Sendable {
  /// What was read and compared.
  let version: FileVersion
  /// What it holds.
  let content: HeldContent
  private let number: UInt32

  /// Its number in the inventory of the folder, which has no more files than that.
  var file: Int { Int(number) }

  init(file: Int, version: FileVersion, content: HeldContent) {
    (self.version, self.content) = (version, content)
    number = UInt32(truncatingIfNeeded: file)
  }
}

/// The proven files of all groups, ascending. They stay in the arrays of their groups: a second place for
/// each would be as much memory once more.
struct ProvenFiles: RandomAccessCollection, Sendable {
  private struct Place {
    var group: UInt32
    var index: UInt32
  }

  private var groups: [[ProvenFile]] = []
  private var places: [Place] = []

  /// The files of no group.
  init() {}

  /// Takes the files out of groups.
  init(takenFrom outcomes: inout [GroupOutcome]) {
    places.reserveCapacity(outcomes.reduce(0) { $0 + $1.provenFiles.count })
    for index in outcomes.indices where !outcomes[index].provenFiles.isEmpty {
      let group = UInt32(groups.count)
      groups.append(outcomes[index].provenFiles)
      outcomes[index].provenFiles = []
      places += groups[groups.count - 1].indices.map { Place(group: group, index: UInt32($0)) }
    }
    let groups = groups
    func file(_ place: Place) -> Int { groups[Int(place.group)][Int(place.index)].file }
    places.sort { file($0) < file($1) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { places.count }

  subscript(position: Int) -> ProvenFile {
    let place = places[position]
    return groups[Int(place.group)][Int(place.index)]
  }
}
