package import Automerge
package import Folders
package import SafeFiles

/// Which of the documents that were loaded are conflict copies or have some, by their bytes.
package struct LoadedCopies {
  /// What became of a document that was to be loaded.
  package enum Outcome {
    case new(DocumentState)
    /// Its bytes are those of the document of this number, which was loaded before.
    case equal(to: Int)
  }

  private struct Key: Hashable {
    var base: RelativePath
    var hash: ContentHash
  }

  private let bases: Set<RelativePath>
  private var files: [Key: Int] = [:]

  /// Creates a table for documents of an inventory, of which nothing was loaded yet.
  package init(among files: some Sequence<Int>, of inventory: FolderInventory) {
    bases =
      inventory.copies.isEmpty
      ? []
      : Set(files.lazy.filter { inventory.copies[$0] != nil }.map { inventory.basePath(of: $0) })
  }

  /// Whether a file of this path, or what is a copy of it, may have equals.
  func mayHaveEquals(_ base: @autoclosure () -> RelativePath) -> Bool {
    !bases.isEmpty && bases.contains(base())
  }

  /// Returns the document of the same base and bytes, nil if none was loaded.
  package func file(of base: RelativePath, with hash: ContentHash) -> Int? {
    files[Key(base: base, hash: hash)]
  }

  package mutating func note(_ file: Int, of base: RelativePath, with hash: ContentHash) {
    files[Key(base: base, hash: hash)] = file
  }
}
