/// The array or object of a file that holds entities of a kind, as places in a stream name it.
///
/// Entities that lie beside each other have it in common, so it is looked at once for all of them.
final class PlaceContainer: Sendable {
  let kind: EntityKind
  private let home: EntityHome
  private let pointer: JSONPointer
  private let file: FilePlace
  /// What places in it begin with: all that is before the last token.
  private let text: [UInt8]
  private let isArray: Bool

  init(
    _ kind: EntityKind, of home: EntityHome, _ pointer: JSONPointer, in file: FilePlace,
    text: [UInt8]
  ) {
    self.kind = kind
    self.home = home
    self.pointer = pointer
    self.file = file
    self.text = text
    isArray = if case .elements = home.content { true } else { false }
  }

  /// Whether a place is in it.
  func holds(_ place: Span<UInt8>) -> Bool {
    let text = text
    guard place.count >= text.count, place.extracting(0..<text.count).isEqual(to: text.span) else {
      return false
    }
    return place.extracting(text.count..<place.count).position(of: UInt8(ascii: "/")) == nil
  }

  /// Parses a place in it; nil if its last token names nothing that the container can hold.
  func place(_ place: Span<UInt8>) -> FilePlace? {
    let last = place.extracting(text.count..<place.count)
    guard let token = JSONPointer.unescape(Array(last)[...]) else { return nil }
    var element: Int?
    if isArray {
      element = last.count <= 9 ? last.wholeNumber.flatMap { $0 < 0 ? nil : Int($0) } : nil
      if element == nil, token != FilePlace.appended { return nil }
    } else if token.isEmpty || home.staysInMap(token) {
      return nil
    }
    return FilePlace(
      path: file.path, pointer: JSONPointer(tokens: pointer.tokens + [token]), month: file.month,
      element: element)
  }
}
