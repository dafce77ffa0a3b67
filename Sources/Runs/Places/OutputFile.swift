import Diagnostics
package import SafeFiles

/// A file that a run makes under a name that somebody chose, outside of the content of data folders.
package struct OutputFile {
  /// The path, as it was given.
  package let path: String
  /// What has the name already; nil if nothing does.
  package let old: FileState?
  private let directory: Directory
  private let name: FileName
  private let replacement: Replacement

  /// Looks what is there; writes nothing.
  ///
  /// Throws `insideFolder` if it would lie among the content of a data folder.
  package init(at path: String, context: RunContext) throws(MigrationError) {
    self.path = path
    (directory, name) = try OutputPlace.openParent(ofPath: path, context: context)
    do throws(FileError) {
      old = try directory.stateIfPresent(of: name)
      replacement =
        old?.kind == .regular ? .unchanged(try directory.version(of: name)) : .nothing
    } catch {
      throw MigrationError(error)
    }
  }

  /// Throws `insideFolder` if it would lie in a folder, anywhere.
  package func requireOutside(_ folder: Directory) throws(MigrationError) {
    try OutputPlace.requireOutside(folder, directory, path)
  }

  /// Whether another one has the same place.
  package func isAtPlace(of other: OutputFile) throws(MigrationError) -> Bool {
    do throws(FileError) {
      let isSameDirectory = try directory.state().isSameFile(as: other.directory.state())
      return isSameDirectory && name == other.name
    } catch {
      throw MigrationError(error)
    }
  }

  /// Why it is not written over what has the name.
  package var isThere: MigrationError {
    .underlying(
      Diagnostic(
        .cannotCreate, subject: path, problem: "exists and is not replaced",
        remedy: "choose another name, or add --force"))
  }

  /// Returns the first bytes of what has the name already.
  package func beginning(_ count: Int) throws(MigrationError) -> [UInt8] {
    guard old?.kind == .regular else { return [] }
    do throws(FileError) {
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try directory.openForReading(name).readSome(into: &bytes, at: 0..<count)
      return Array(bytes.prefix(read))
    } catch {
      throw MigrationError(error)
    }
  }

  /// Writes the file: under a temporary name, read back, compared, and only then named. What had the
  /// name stays if somebody changed it since it was looked at.
  package func publish(
    _ content: [UInt8], asPrivateAs privacy: Privacy
  ) throws(MigrationError) {
    var pieces = [content]
    try publish(asPrivateAs: privacy) { () throws(FileError) in pieces.popLast() }
  }

  /// Writes the file in the same way of pieces, until there is none.
  ///
  /// - Parameter privacy: nil if it holds nothing that anybody keeps to themselves.
  package func publish(
    asPrivateAs privacy: Privacy?, pieces next: () throws(FileError) -> [UInt8]?
  ) throws(MigrationError) {
    do throws(FileError) {
      // What an earlier run left that was killed.
      try directory.sweepTemporaries(for: name)
      try StagedFile.publish([
        directory.stage(as: name, replacing: replacement, asPrivateAs: privacy, pieces: next)
      ])
    } catch {
      throw MigrationError(error)
    }
  }
}
