#if canImport(Darwin)
  import Foundation
#else
  // Nothing public of the standard library normalizes.
  @_spi(_Unicode) import Swift
#endif

extension [UInt8] {
  /// The text in normalization form C (Unicode Standard Annex 15); what is no UTF-8 becomes U+FFFD.
  package var normalized: [UInt8] {
    if !contains(where: { $0 >= 0x80 }) { return self }
    let text = String(decoding: self, as: UTF8.self)
    #if canImport(Darwin)
      return Array(text.precomposedStringWithCanonicalMapping.utf8)
    #else
      var normalized = ""
      for scalar in text._nfc { normalized.unicodeScalars.append(scalar) }
      return Array(normalized.utf8)
    #endif
  }
}
