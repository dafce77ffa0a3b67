import SafeFiles

extension Directory {
  /// Publishes a file of the lines that `body` hands over, each with a line feed behind it.
  func publishLines(
    as name: FileName,
    _ body: ((_ line: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
  ) throws(FileError) {
    let file = try stageFile(as: name)
    do throws(FileError) {
      try body { line throws(FileError) in try file.write(line + [UInt8(ascii: "\n")]) }
      try StagedFile.publish([file.finish()])
    } catch {
      file.discard()
      throw error
    }
  }
}
