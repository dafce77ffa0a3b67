/// The unit in which text is counted; a property of the open document, never stored.
public enum TextEncoding: Sendable {
  case graphemeCluster
  case unicodeScalar
  case utf8
  case utf16
}
