package import SafeFiles

/// What a backup holds in the place of some files of a folder: what they were before a run changed them that
/// was stopped, and will be again.
package struct StandIns: Sendable {
  /// By the bytes of a path, where in the folder what stands for it lies; nil if the file is left out.
  private var places: [[UInt8]: RelativePath?] = [:]

  /// Has every file stand for itself.
  package init() {}

  package var isEmpty: Bool { places.isEmpty }

  /// Has what lies at a place of the folder stand for a file; nil leaves the file out.
  package mutating func put(_ place: RelativePath?, for path: RelativePath) {
    places.updateValue(place, forKey: path.bytes)
  }

  /// Returns what stands for a file; nil if it stands for itself.
  func place(of path: some Collection<UInt8>) -> RelativePath?? {
    places.isEmpty ? nil : places[Array(path)]
  }
}
