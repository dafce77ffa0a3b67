package import Automerge

/// What `repair-crdt` is asked to do.
package struct RepairOptions {
  /// The damaged document; it is only read.
  package var file: String
  /// Where the new document goes.
  package var output: String
  /// Whether a file that is there already is replaced; never the damaged document itself.
  package var replaces = false
  /// Who writes the salvaged values; nil for a random actor.
  package var actor: ActorId?
  /// When they are said to be written, in seconds since 1970; nil for now.
  package var time: Int64?
  /// What replacements are derived from when content is replaced; nil for random bytes.
  package var secret: [UInt8]?

  /// Creates options that replace nothing.
  package init(file: String, output: String) {
    self.file = file
    self.output = output
  }
}
