extension Int {
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

  /// The number with its noun: `1 record`, `2 records`.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(grouped) \(self == 1 ? singular : plural ?? singular + "s")"
  }

  /// The number as a size: `712 bytes`, `3.4 MB`.
  package var byteCountText: String {
    var value = self
    var remainder = 0
    for unit in ["bytes", "kB", "MB", "GB"] {
      if value < 1000 {
        return unit == "bytes" || value >= 100
          ? "\(value) \(unit)" : "\(value).\(remainder / 100) \(unit)"
      }
      (value, remainder) = (value / 1000, value % 1000)
    }
    return "\(value.grouped) TB"
  }
}
