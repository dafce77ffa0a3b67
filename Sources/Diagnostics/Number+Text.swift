// How numbers stand in messages: the one way to write them, wherever a message is made.
extension BinaryInteger {
  /// The number with a comma between groups of three digits: `100,000`.
  package var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The number with its noun: `1 record`, `2 records`, `1,000 changes wait`.
  ///
  /// - Parameter plural: what follows any number but one; without it the noun gets an `s`.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(grouped) \(self == 1 ? singular : plural ?? singular + "s")"
  }

  /// The number as a size: `712 bytes`, `3.4 MB`.
  package var byteCountText: String {
    var value = Int(clamping: self)
    if value < 1000 { return value.counted("byte") }
    var remainder = 0
    for unit in ["kB", "MB", "GB"] {
      (value, remainder) = (value / 1000, value % 1000)
      if value < 1000 {
        return value >= 100 ? "\(value) \(unit)" : "\(value).\(remainder / 100) \(unit)"
      }
    }
    return "\((value / 1000).grouped) TB"
  }
}
