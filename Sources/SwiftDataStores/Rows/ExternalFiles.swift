import SafeFiles

/// The files beside a store that hold what is too large for it: `_EXTERNAL_DATA/UUID`.
///
/// A cell of a property that may be kept so holds `[01][bytes]`, or `[02][36 characters of a UUID][00]`.
/// No table says which properties these are, but the model does, and where it does not a first byte of 01
/// may be the app's own, and is left alone. No other cell says it: one row more or less would change what
/// all of them are.
struct ExternalFiles {
  /// Nil if the store has no such files.
  private let directory: Directory?

  init(of copy: StoreCopy) throws(StoreError) {
    guard let support = copy.support else {
      directory = nil
      return
    }
    directory = try StoreError.wrapping { () throws(FileError) in
      try copy.place.directory.openDirectoryIfPresent(
        RelativePath(support).appending(ExternalReference.folder))
    }
  }

  /// Returns what a cell says as a value of a type; one that names a file says so.
  ///
  /// - Parameter isMarked: whether the first byte says where the others are.
  func value(
    _ cell: StoreCell, as type: AttributeType, isMarked: Bool
  ) throws(StoreError) -> StoreValue {
    guard case .blob(let bytes) = cell else { return StoreValue(cell, as: type) }
    guard let uuid = ExternalReference(bytes)?.uuid else {
      guard isMarked, bytes.first == 1 else { return StoreValue(cell, as: type) }
      return StoreValue(.blob(Array(bytes.dropFirst())), as: type)
    }
    guard let directory, let name = FileName(uuid) else {
      return .external(ExternalData(uuid: uuid, byteCount: nil))
    }
    let state = try StoreError.wrapping { () throws(FileError) in
      try directory.stateIfPresent(of: name)
    }
    let size = state?.kind == .regular ? state?.size : nil
    return .external(ExternalData(uuid: uuid, byteCount: size))
  }

  /// The names of the files that are there.
  func names() throws(StoreError) -> Set<String> {
    guard let directory else { return [] }
    return try StoreError.wrapping { () throws(FileError) in
      Set(try directory.entries().filter { $0.kind == .regular }.map(\.name.description))
    }
  }

  /// Opens the file of some data for reading.
  func open(_ data: ExternalData) throws(StoreError) -> FileReader? {
    guard let directory, let name = FileName(data.uuid), data.byteCount != nil else { return nil }
    return try StoreError.wrapping { () throws(FileError) in try directory.openForReading(name) }
  }
}
