#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Bool: ScalarCodable {}
extension Data: ScalarCodable {}
extension URL: ScalarCodable {}

extension String: ScalarCodable {
  /// A text object reads as a string too.
  static func read(from element: AutomergeDecoderImpl) throws -> String {
    switch element.value {
    case .Object(let object, .Text): return try element.document.text(obj: object)
    case .Scalar(.String(let string)): return string
    default: throw element.mismatch(String.self)
    }
  }
}

extension Date: ScalarCodable {
  /// Documents count milliseconds in 64 bits, which not every date fits.
  func write(to element: EncodedElement) throws {
    guard milliseconds != nil else {
      throw element.refusal(of: self, "the date is beyond those of an Automerge timestamp")
    }
    try element.put(toScalarValue(), as: self)
  }
}

extension Dictionary: ElementEncodable where Key == Int, Value: Encodable {
  /// Maps have no integer keys; keys that read as numbers would come back as another type.
  func write(to element: EncodedElement) throws {
    throw DocError(reason: .wrongObjectType)
  }
}
