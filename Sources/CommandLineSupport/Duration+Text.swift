extension Duration {
  /// The duration in whole milliseconds, rounded down.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The duration as a person reads it: `0.21 s`, `14 s`, `3:07 min`.
  package var text: String {
    let milliseconds = self.milliseconds
    if milliseconds < 10_000 {
      let hundredths = (milliseconds + 5) / 10
      let fraction = hundredths % 100
      return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
    let seconds = (milliseconds + 500) / 1000
    if seconds < 100 { return "\(seconds) s" }
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min"
  }
}
