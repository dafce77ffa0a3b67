extension Counter: BindableElement {}

extension Counter: RootEncodable {
  /// Writes a counter by incrementing the one that is there, so that the increments of others add
  /// up. The counter of this very place is in the document already.
  func write(to element: EncodedElement) throws {
    let (document, place) = (element.document, element.place)
    let isInPlace = isBound(to: document, place)
    if !isInPlace { try writeValue(to: element) }
    element.encoder.record.note(self, isInPlace: isInPlace) { self.bind(to: document, at: place) }
  }

  private func writeValue(to element: EncodedElement) throws {
    let value = value(before: element.encoder.record)
    guard case .Scalar(.Counter(let current)) = try element.existingValue() else {
      return try element.put(.Counter(Int64(value)), as: self)
    }
    // An element of a list has no name to tell that it is the same count: it is a contribution.
    let isContribution = element.isListElement && !isBound
    let amount = isContribution ? Int64(value) : Int64(value) &- current
    if amount != 0 { try element.document.increment(at: element.place, by: amount) }
  }

  private func value(before record: EncodingRecord) -> Int {
    guard let place, doc === record.document else { return value }
    return record.before.counter(at: place) ?? value
  }
}

extension Counter: RootDecodable {
  static func read(from element: AutomergeDecoderImpl) throws -> Counter {
    guard case .Scalar(.Counter) = element.value, let place = element.place else {
      throw element.mismatch(Counter.self)
    }
    return try Counter(element.document, place)
  }
}
