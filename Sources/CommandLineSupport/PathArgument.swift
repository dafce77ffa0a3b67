package import ArgumentParser
import Diagnostics

/// A path as it was given on the command line, byte by byte.
///
/// The argument parser knows only Unicode text, and names are bytes. So bytes that are not valid
/// UTF-8 travel through it as scalars U+10FF00 plus the byte, at the end of the last private-use
/// plane, and come out here as the bytes they were. Text that itself holds such a scalar travels
/// the same way, so nothing is ambiguous.
package struct PathArgument: ExpressibleByArgument, Hashable, Sendable {
  /// The path's bytes.
  package let bytes: [UInt8]

  /// Creates a path from text of the argument parser.
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    bytes = ArgumentBytes.decode(argument)
  }

  /// Whether the path is `-`, which stands for a standard stream.
  package var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }

  /// The path for people, with control characters and invalid bytes escaped.
  package var display: String { DisplayText.escaping(bytes) }
}
