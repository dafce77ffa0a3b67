package import Folders
import SafeFiles

// The file form of a plan, read.
extension Plan {
  /// Reads a plan file.
  ///
  /// - Parameter profiles: gives the profile of a name; nil if there is none.
  package init(
    file path: String, profiles: @escaping (String) -> Profile?
  ) throws(PlanError) {
    let bytes: [UInt8]
    do throws(FileError) {
      let (directory, name) = try Directory.openParent(ofPath: path)
      bytes = try directory.contents(of: name, limit: Self.largestFile)
    } catch {
      if case .tooLarge = error { throw Self.tooLarge(path) }
      throw .file(error)
    }
    try self.init(parsing: bytes, of: path, profiles: profiles)
  }

  /// Reads the bytes of a plan file; the name is for messages.
  package init(
    parsing bytes: [UInt8], of file: String, profiles: @escaping (String) -> Profile?
  ) throws(PlanError) {
    guard bytes.count <= Self.largestFile else { throw Self.tooLarge(file) }
    var reader = PlanReader(profiles)
    do throws(JSONDefect) {
      try reader.form.parse(bytes, depthLimit: PlanReader.depthLimit)
    } catch {
      let (line, column) = FormReader.position(of: error.offset, in: bytes)
      throw .json(file: file, line: line, column: column, error)
    }
    do throws(PlanDefect) {
      self = try reader.plan()
    } catch {
      var isName = false
      if case .form(.unknownMember) = error.fact { isName = true }
      let (line, column) = reader.form.position(of: error.place, isName: isName)
      throw .plan(file: file, line: line, column: column, error.fact)
    }
  }

  private static func tooLarge(_ file: String) -> PlanError {
    .json(file: file, line: 1, column: 1, JSONDefect(.tooLarge(limit: largestFile), at: 0))
  }
}
