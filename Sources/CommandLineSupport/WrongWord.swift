import ArgumentParser

/// A word that is none of those that there are.
enum WrongWord {
  /// From so many letters on a word is another one, as the parser has it.
  private static let leastDifference = 4

  /// Returns what is said of an option, in the words of the parser.
  static func unknownOption(_ option: some StringProtocol, among known: [String]) -> String {
    "Unknown option '\(option)'" + suggestion(for: option, among: known)
  }

  /// Returns a sentence that names what somebody meant; an empty one if nothing is like it.
  static func suggestion(for word: some StringProtocol, among known: [String]) -> String {
    let distances = known.map { (word: $0, distance: distance(from: word, to: $0)) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }),
      nearest.distance < leastDifference
    else { return "" }
    return ". Did you mean '\(nearest.word)'?"
  }

  /// Returns how many letters are to be put in, taken out or replaced.
  private static func distance(from word: some StringProtocol, to other: String) -> Int {
    let letters = Array(other)
    var row = Array(0...letters.count)
    for letter in word {
      var corner = row[0]
      row[0] += 1
      for (column, known) in letters.enumerated() {
        let replaced = corner + (letter == known ? 0 : 1)
        corner = row[column + 1]
        row[column + 1] = min(replaced, min(corner, row[column]) + 1)
      }
    }
    return row[letters.count]
  }
}

extension ParsableArguments {
  /// Returns what is said of the first argument that looks like an option and is none; nil if there is no
  /// such.
  ///
  /// The parser itself tells of it only where nothing else is wrong with the call.
  static func unknownOption(in arguments: [String]) -> String? {
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { $0.prefix { $0 != "=" } }
    guard !given.isEmpty else { return nil }
    let known = longOptions
    let hidden = [CompletionScript.option, "--experimental-dump-help", "--help-hidden"]
    for option in given where !option.hasPrefix("---") {
      let name = String(option)
      if !known.contains(name), !hidden.contains(name) {
        return WrongWord.unknownOption(name, among: known)
      }
    }
    return nil
  }

  /// The options with names of several letters, read from the help: the parser tells them nowhere else.
  private static var longOptions: [String] {
    helpMessage(includeHidden: true).split(separator: "\n").flatMap { line -> [String] in
      guard line.hasPrefix("  -") else { return [] }
      // The names end where there are two spaces.
      let words = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false)
      return words.prefix { !$0.isEmpty }
        .flatMap { $0.split { $0 == "/" || $0 == "," } }
        .filter { $0.hasPrefix("--") }.map(String.init)
    }
  }
}
