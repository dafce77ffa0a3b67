/// How much a document tells a log; without one on this platform it has no effect.
public enum LogVerbosity: Int, Comparable, Equatable, Sendable {
  case errorOnly = 3
  case debug = 6
  case tracing = 8

  /// Whether debugging messages are wanted.
  public func canDebug() -> Bool { self >= .debug }

  /// Whether tracing messages are wanted.
  public func canTrace() -> Bool { self >= .debug }

  public static func < (left: LogVerbosity, right: LogVerbosity) -> Bool {
    left.rawValue < right.rawValue
  }
}
