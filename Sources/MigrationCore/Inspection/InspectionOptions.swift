package import Runs

/// What `inspect-crdt` shows of a document.
package enum InspectionView: String, CaseIterable, Hashable, Sendable {
  /// The state as an indented tree for people.
  case tree
  /// The state as one JSON object in which every type can be told from every other.
  case typed
  /// The state as one JSON object without types.
  case plain
  /// Every key and index with more than one value, as JSON.
  case conflicts
  /// The hashes nobody builds on, one a line.
  case heads
  /// One JSON object a line for each change.
  case changes
  /// Nothing but whether every hash verifies.
  case check
}

/// What `inspect-crdt` is asked to do.
package struct InspectionOptions {
  /// Where the document is.
  package enum Source {
    /// A file.
    case file(path: String)
    /// Standard input or another stream, which is read to its end.
    case stream(ByteSource)
  }

  /// Where the document is.
  package var source: Source
  /// What is shown.
  package var view: InspectionView
  /// Hashes in hexadecimal that name a point in history; empty for the present.
  package var heads: [String] = []
  /// Whether the output names the document, as it must where there are several: in each line, or
  /// around each value.
  package var namesDocument = false
  /// Where the output goes.
  package var sink: ByteSink

  /// Creates options for the present state of a document.
  package init(source: Source, view: InspectionView, sink: ByteSink) {
    self.source = source
    self.view = view
    self.sink = sink
  }
}
