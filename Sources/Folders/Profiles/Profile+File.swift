import Diagnostics
import SafeFiles

// The file form of a profile, read.
extension Profile {
  /// The largest profile file.
  package static let largestFile = 1 << 20

  /// Takes the built-in profile of that name, or else reads the file at that path.
  package init(nameOrFile text: String) throws(ProfileError) {
    if let profile = Self.builtIn(named: text) {
      self = profile
    } else {
      try self.init(file: text)
    }
  }

  /// Reads a profile file.
  package init(file path: String) throws(ProfileError) {
    let bytes: [UInt8]
    do throws(FileError) {
      let (directory, name) = try Directory.openParent(ofPath: path)
      bytes = try directory.contents(of: name, limit: Self.largestFile)
    } catch {
      if case .tooLarge = error {
        throw .json(
          file: path, line: 1, column: 1, JSONDefect(.tooLarge(limit: Self.largestFile), at: 0))
      }
      throw .file(error)
    }
    try self.init(parsing: bytes, of: path)
    // What a built-in profile says is older than its file, and frozen.
    guard let builtIn = Self.builtIn(named: name), builtIn != self else { return }
    throw .profile(file: path, line: 1, column: 1, .reservedName(name))
  }

  /// Reads the bytes of a profile file; the name is for messages.
  package init(parsing bytes: [UInt8], of file: String) throws(ProfileError) {
    guard bytes.count <= Self.largestFile else {
      throw .json(
        file: file, line: 1, column: 1, JSONDefect(.tooLarge(limit: Self.largestFile), at: 0))
    }
    var reader = ProfileReader()
    do throws(JSONDefect) {
      try reader.form.parse(bytes, depthLimit: ProfileReader.depthLimit)
    } catch {
      let (line, column) = FormReader.position(of: error.offset, in: bytes)
      throw .json(file: file, line: line, column: column, error)
    }
    do throws(ProfileDefect) {
      self = try reader.profile()
    } catch {
      var isName = false
      if case .form(.unknownMember) = error.fact { isName = true }
      let (line, column) = reader.form.position(of: error.place, isName: isName)
      throw .profile(file: file, line: line, column: column, error.fact)
    }
  }
}
