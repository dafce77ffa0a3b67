/// The encoder of one value, and the record of what was written below it.
///
/// `Encoder` cannot tell when a container is finished, so each encoder notes the keys and elements
/// it writes and `finish()` deletes the others once the whole value is encoded.
final class AutomergeEncoderImpl: Encoder {
  let userInfo: [CodingUserInfoKey: Any]
  let codingPath: [any CodingKey]
  let document: Document
  let schemaStrategy: SchemaStrategy
  let cautiousWrite: Bool
  private let logLevel: LogVerbosity
  /// Of the whole call.
  let record: EncodingRecord
  /// Where the value stands, if the encoder above knows; else the path says it.
  private let place: Result<ValuePlace, CodingKeyLookupError>?
  private let isNew: Bool

  /// The last kind of container that the value asked for.
  private(set) var containerType: EncodingContainerType?
  /// The object that keys and elements are written to.
  private(set) var objectIdForContainer: ObjId?
  private(set) var childEncoders: [AutomergeEncoderImpl] = []
  var mapKeysWritten: [String] = []
  var elementsWritten: UInt64 = 0
  private var lookupFailure: CodingKeyLookupError?

  init(
    userInfo: [CodingUserInfoKey: Any], codingPath: [any CodingKey], doc: Document,
    strategy: SchemaStrategy, cautiousWrite: Bool, logLevel: LogVerbosity,
    record: EncodingRecord? = nil, place: Result<ValuePlace, CodingKeyLookupError>? = nil,
    isNew: Bool = false
  ) {
    self.userInfo = userInfo
    self.codingPath = codingPath
    document = doc
    schemaStrategy = strategy
    self.cautiousWrite = cautiousWrite
    self.logLevel = logLevel
    self.record = record ?? EncodingRecord(of: doc)
    self.place = place
    self.isNew = isNew
  }

  var highestUnkeyedIndexWritten: UInt64? { elementsWritten == 0 ? nil : elementsWritten - 1 }

  // MARK: Places

  /// Returns an encoder for something in this one's container.
  func child(
    at place: Result<ValuePlace, CodingKeyLookupError>, isNew: Bool, codingPath: [any CodingKey]
  ) -> AutomergeEncoderImpl {
    let child = AutomergeEncoderImpl(
      userInfo: userInfo, codingPath: codingPath, doc: document, strategy: schemaStrategy,
      cautiousWrite: cautiousWrite, logLevel: logLevel, record: record, place: place,
      isNew: isNew)
    childEncoders.append(child)
    return child
  }

  /// Returns the map or list the value is, or for a single value the container it is in.
  func open(_ type: EncodingContainerType) -> Result<ObjId, CodingKeyLookupError> {
    containerType = type
    let object = lookUp(type)
    switch object {
    case .success(let id): (objectIdForContainer, lookupFailure) = (id, nil)
    case .failure(let error): lookupFailure = error
    }
    return object
  }

  private func lookUp(_ type: EncodingContainerType) -> Result<ObjId, CodingKeyLookupError> {
    guard let place else {
      return document.retrieveObjectId(
        path: codingPath, containerType: type, strategy: schemaStrategy)
    }
    return Result { () throws(CodingKeyLookupError) in
      let place = try place.get()
      if type == .Value { return place.container }
      return try document.object(
        type == .Key ? .Map : .List, at: place, schemaStrategy, codingPath)
    }
  }

  /// Returns the place of this value itself.
  private func element() throws -> EncodedElement {
    let container = try open(.Value).get()
    if let place {
      return EncodedElement(encoder: self, key: nil, place: try place.get(), isNew: isNew)
    }
    guard let last = codingPath.last else {
      throw CodingKeyLookupError.NoPathForSingleValue("a document is a map, not a single value")
    }
    let place = ValuePlace(container: container, prop: AnyCodingKey(last).prop)
    return EncodedElement(encoder: self, key: nil, place: place, isNew: document.isEnd(place))
  }

  // MARK: Writing

  /// Writes what this encoder is for.
  func write<T: Encodable>(_ value: T) throws {
    if place == nil, codingPath.isEmpty, value is any RootEncodable {
      var root = container(keyedBy: RootKey.self)
      try root.encode(value, forKey: .value)
    } else if let value = value as? any ElementEncodable {
      try value.write(to: element())
    } else {
      try value.encode(to: self)
    }
  }

  /// Writes nil as what this encoder is for.
  func writeNull() throws { try element().put(.Null, as: ScalarValue.Null) }

  /// Deletes the keys and elements that were there before and have not been written.
  ///
  /// - Throws: The error of a lookup too, if no value came after it to throw it.
  func finish() throws {
    if let lookupFailure { throw lookupFailure }
    if let object = objectIdForContainer {
      switch containerType {
      case .Key: try deleteOtherKeys(of: object)
      case .Index: try deleteOtherElements(of: object)
      case .Value, nil: break
      }
    }
    for child in childEncoders { try child.finish() }
  }

  private func deleteOtherKeys(of map: ObjId) throws {
    // Keys differ by their bytes; as strings, a composed and a decomposed letter would be the same.
    let written = Set(mapKeysWritten.map { [UInt8]($0.utf8) })
    for key in document.keys(obj: map) where !written.contains([UInt8](key.utf8)) {
      try document.delete(obj: map, key: key)
    }
  }

  private func deleteOtherElements(of list: ObjId) throws {
    let surplus = document.length(obj: list).subtractingReportingOverflow(elementsWritten)
    guard !surplus.overflow, surplus.partialValue > 0 else { return }
    try document.splice(
      obj: list, start: elementsWritten, delete: Int64(clamping: surplus.partialValue), values: [])
  }

  // MARK: Encoder

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(AutomergeKeyedEncodingContainer(encoder: self, object: open(.Key)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    AutomergeUnkeyedEncodingContainer(encoder: self, object: open(.Index))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    AutomergeSingleValueEncodingContainer(encoder: self)
  }
}
