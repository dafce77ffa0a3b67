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
    let bytes = try ProfileError.bytes(of: path, limit: Self.largestFile)
    try self.init(parsing: bytes, of: path)
    // What a built-in profile says is older than its file, and frozen.
    guard let builtIn = Self.builtIn(named: name), builtIn != self else { return }
    throw .profile(file: path, line: 1, column: 1, .reservedName(name))
  }

  /// Reads the bytes of a profile file; the name is for messages.
  package init(parsing bytes: [UInt8], of file: String) throws(ProfileError) {
    var reader = ProfileReader()
    try ProfileError.parse(
      bytes, of: file, limit: Self.largestFile, depthLimit: ProfileReader.depthLimit,
      into: &reader.form)
    do throws(ProfileDefect) {
      self = try reader.profile()
    } catch {
      throw ProfileError(error.fact, at: error.place, in: reader.form, of: file)
    }
  }
}
