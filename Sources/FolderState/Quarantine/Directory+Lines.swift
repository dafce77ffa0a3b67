import SafeFiles

extension Directory {
  /// Publishes a file of the lines that `body` hands over, each with a line feed behind it.
  func publishLines(
    as name: FileName,
    _ body: ((_ line: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
  ) throws(FileError) {
    let file = try stageFile(as: name)
    do throws(FileError) {
      var buffer: [UInt8] = []
      try body { line throws(FileError) in
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        guard buffer.count >= 1 << 16 else { return }
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
      }
      if !buffer.isEmpty { try file.write(buffer) }
      try StagedFile.publish([file.finish()])
    } catch {
      file.discard()
      throw error
    }
  }
}
