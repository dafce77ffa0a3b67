package import Runs

/// What `export-json` is asked to do.
package struct ExportOptions {
  /// Where the entities go.
  package enum Destination {
    /// An interchange stream.
    case stream(ByteSink)
    /// Legacy files in a directory, which is created if it is not there.
    case folder(path: String)
  }

  /// A folder, or one document file.
  package var source: String
  /// Where the entities go.
  package var destination: Destination
  /// What a date that is written as a number in a legacy file counts.
  package var numericDates: NumericDateChoice?
  /// A backup; what it holds and the folder does not show any more is named.
  package var backup: String?
  /// Whether that is exported, too, as the backup has it.
  package var exportsDeleted = false

  /// Creates options for a source and a destination.
  package init(source: String, destination: Destination) {
    self.source = source
    self.destination = destination
  }
}
