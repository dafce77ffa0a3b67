package import Folders

// The file form of a plan, read.
extension Plan {
  /// Reads a plan file.
  ///
  /// - Parameters:
  ///   - places: the steps of plans that run before it, with which its own have to go together.
  ///   - profiles: gives the profile of a name; nil if there is none.
  package init(
    file path: String, after places: [PlaceStep] = [], profiles: @escaping (String) -> Profile?
  ) throws(PlanError) {
    let bytes = try PlanError.bytes(of: path, limit: Self.largestFile)
    try self.init(parsing: bytes, of: path, after: places, profiles: profiles)
  }

  /// Reads the bytes of a plan file; the name is for messages.
  package init(
    parsing bytes: [UInt8], of file: String, after places: [PlaceStep] = [],
    profiles: @escaping (String) -> Profile?
  ) throws(PlanError) {
    var reader = PlanReader(profiles, after: places)
    try PlanError.parse(
      bytes, of: file, limit: Self.largestFile, depthLimit: PlanReader.depthLimit,
      into: &reader.form)
    do throws(PlanDefect) {
      self = try reader.plan()
    } catch {
      throw PlanError(error.fact, at: error.place, in: reader.form, of: file)
    }
  }
}
