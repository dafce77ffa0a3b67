extension AutomergeText: ElementEncodable {
  /// Writes a text object. A text of this very place is in the document already.
  func write(to element: EncodedElement) throws {
    let object = try element.object(.Text)
    guard !isBound(to: element.document, object) else { return }
    try element.document.updateText(obj: object, value: value)
  }
}

extension AutomergeText: ElementDecodable {
  static func read(from element: AutomergeDecoderImpl) throws -> AutomergeText {
    guard case .Object(let object, .Text) = element.value else {
      throw element.mismatch(AutomergeText.self)
    }
    return try AutomergeText(doc: element.document, objId: object)
  }
}
