extension AutomergeText: BindableElement {}

extension AutomergeText: RootEncodable {
  /// Writes a text object. A text of this very place is in the document already.
  func write(to element: EncodedElement) throws {
    let object = try element.object(.Text)
    let isInPlace = isBound(to: element.document, object)
    if !isInPlace {
      try element.document.updateText(obj: object, value: value(before: element.encoder.record))
    }
    let document = element.document
    element.encoder.record.note(self, isInPlace: isInPlace) { self.bind(to: document, object) }
  }

  private func value(before record: EncodingRecord) throws -> String {
    guard let objId, doc === record.document else { return value }
    return try record.before.text(obj: objId)
  }
}

extension AutomergeText: RootDecodable {
  static func read(from element: AutomergeDecoderImpl) throws -> AutomergeText {
    guard case .Object(let object, .Text) = element.value else {
      throw element.mismatch(AutomergeText.self)
    }
    return try AutomergeText(doc: element.document, objId: object)
  }
}
