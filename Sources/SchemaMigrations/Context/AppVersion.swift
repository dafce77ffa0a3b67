/// A version of an app, compared part by part: 2.0 is 2.0.0, and less than 10.0.
public struct AppVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The most parts that a version has.
  public static let largestPartCount = 16

  /// The numbers between the points, without zeros at the end.
  public let parts: [UInt64]

  /// Creates a version from numbers with points between them; nil for anything else, so that what nobody
  /// can compare is unknown.
  public init?(_ text: some StringProtocol) {
    var parts: [UInt64] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard parts.count < Self.largestPartCount, part.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
        let number = UInt64(part)
      else { return nil }
      parts.append(number)
    }
    while parts.last == 0 { parts.removeLast() }
    self.parts = parts
  }

  /// The numbers with points between them, at least two.
  public var description: String {
    (parts + repeatElement(0, count: max(0, 2 - parts.count))).map(\.description)
      .joined(separator: ".")
  }

  public static func < (left: AppVersion, right: AppVersion) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}

/// A system that apps run on.
public struct Platform: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// Its name as its maker writes it.
  public let rawValue: String

  /// Creates a platform.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a platform.
  public init(stringLiteral value: String) { rawValue = value }

  /// Its name.
  public var description: String { rawValue }

  public static let iOS: Platform = "iOS"
  public static let linux: Platform = "Linux"
  public static let macOS: Platform = "macOS"
  public static let tvOS: Platform = "tvOS"
  public static let visionOS: Platform = "visionOS"
  public static let watchOS: Platform = "watchOS"

  /// Those that a plan may name.
  package static let named = [iOS, linux, macOS, tvOS, visionOS, watchOS]

  /// The one that this is compiled for.
  public static var current: Platform {
    #if os(macOS)
      .macOS
    #elseif os(iOS)
      .iOS
    #elseif os(tvOS)
      .tvOS
    #elseif os(visionOS)
      .visionOS
    #elseif os(watchOS)
      .watchOS
    #else
      .linux
    #endif
  }
}
