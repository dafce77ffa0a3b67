import Diagnostics
import SafeFiles

// Names that are two here and one elsewhere.
extension FolderInventory {
  private struct Place: Hashable {
    var directory: Int
    /// Compared as Swift strings are: composed and decomposed letters are equal.
    var folded: String
  }

  /// Returns the files that other volumes take for one with another file, because they tell neither
  /// letter case nor Unicode forms apart.
  ///
  /// Only names with capital or other letters than ASCII's are looked at: of two such names, one has.
  func collisions() -> [Finding] {
    var places: [Place: Int] = [:]
    var findings: [Finding] = []
    for file in indices where nominalClass(of: file).isData || fileClass(of: file) == .image {
      guard nameBytes(of: file).contains(where: { $0 >= 0x80 || $0 &- 0x41 < 26 }) else { continue }
      let directory = directory(of: file)
      let folded = String(decoding: nameBytes(of: file), as: UTF8.self).lowercased()
      let bytes = Array(folded.utf8)
      let plain = position(of: bytes.span, in: directory).flatMap { $0 == file ? nil : $0 }
      let place = Place(directory: directory, folded: folded)
      guard let other = plain ?? places[place] else {
        places[place] = file
        continue
      }
      findings.append(
        Finding(
          .nameCollision, .warning, path: path(of: file).description,
          message: "is one name with \(path(of: other)) where case does not count",
          next: "rename one of them before the folder moves to such a volume"))
    }
    return findings
  }
}
