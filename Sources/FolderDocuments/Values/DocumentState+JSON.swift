package import Automerge
package import Runs

extension DocumentState {
  /// Returns a value with everything below it as typed JSON: equal values give equal bytes.
  package func typedJSON(of value: DocumentValue) throws(MigrationError) -> [UInt8] {
    let collector = ByteCollector()
    let output = InspectionOutput(collector.sink)
    var json = StateJSON(.typed, of: self, to: output)
    try StateWalk(document: self, view: nil).visit(value, with: &json)
    try output.finish()
    return collector.bytes
  }
}

/// Takes output in memory.
private final class ByteCollector {
  package private(set) var bytes: [UInt8] = []

  var sink: ByteSink { ByteSink(name: "memory") { self.bytes += $0 } }
}
