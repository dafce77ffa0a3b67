package import Runs

/// What `verify-counts` is asked to do.
package struct VerificationOptions {
  /// What the documents are compared with.
  package enum Reference {
    /// The legacy files in the folder, else those in its quarantine.
    case automatic
    /// Another folder.
    case folder(path: String)
    /// A backup archive.
    case backup(path: String)
    /// An interchange stream.
    case stream(ByteSource)
  }

  /// The folder whose documents are verified.
  package var folder: String
  /// What they are compared with.
  package var reference: Reference = .automatic
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDateChoice?
  /// Whether what was edited or deleted in a document since its import counts as a difference.
  package var requiresEqual = false

  /// Whether `--status` opens no file: names tell what the folder holds, but not what is in it.
  package var looksAtNamesOnly = false

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}
