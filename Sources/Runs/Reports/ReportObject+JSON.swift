import Folders

extension ReportObject {
  /// The object as one line of JSON, without a line feed.
  package var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(.object(self))
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ value: ReportValue) {
    switch value {
    case .null: null()
    case .boolean(let value): bool(value)
    case .integer(let value): number(value)
    case .seconds(let value): number((value * 1000).rounded() / 1000)
    case .string(let value): string(value)
    case .array(let values):
      beginArray()
      for value in values { write(value) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members {
        let name = Array(member.name.utf8)
        self.name(name.span)
        write(member.value)
      }
      endObject()
    }
  }
}
