package import MigrationCore

extension CleanUpReport: ReadableReport {
  package var conclusion: [String] {
    let moved = files.filter { $0.outcome == .moved }
    let purged = files.filter { $0.outcome == .purged }
    let kept = files.count { $0.outcome == .kept }
    var sentences: [String] = []
    if !purged.isEmpty {
      sentences.append(sentence(isDryRun ? "Would purge" : "Purged", purged, "from quarantine"))
    }
    if !moved.isEmpty || purged.isEmpty {
      let place = quarantine.isEmpty ? "to quarantine" : "to \(quarantine)"
      sentences.append(sentence(isDryRun ? "Would move" : "Moved", moved, place))
    }
    if kept > 0 { sentences.append("Kept \(kept.counted("legacy file")): see above.") }
    if isDryRun { sentences.append("Nothing was changed; --apply --backup FILE does it.") }
    return sentences
  }

  private func sentence(_ verb: String, _ files: [File], _ place: String) -> String {
    let size = files.reduce(0) { $0 + $1.byteCount }
    return "\(verb) \(files.count.counted("file")) (\(size.byteCountText)) \(place) "
      + "(\(Duration.seconds(seconds).text))."
  }
}
