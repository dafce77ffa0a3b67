package import ArgumentParser
import Diagnostics
import Folders
import MigrationCore
import Runs
import SafeFiles

// What shells offer where a value is asked for, besides what options say of themselves.
extension CompletionKind {
  /// The names of the built-in profiles, and files that may be one.
  package static var profiles: CompletionKind {
    .custom { _, _, start in
      let files = entries(beside: start).filter { $0.isDirectory || $0.path.hasSuffix(".json") }
      return Profile.builtInNames + files.map(\.path)
    }
  }

  /// The backups of the folder that stands among the words, and files that may be one.
  package static var backups: CompletionKind {
    .custom { words, _, start in
      let archives = [".tar", ".tar.zst"]
      let files = entries(beside: start).filter { entry in
        entry.isDirectory || archives.contains { entry.path.hasSuffix($0) }
      }
      let ofFolder = folders(among: words).flatMap { folder in
        backupDirectories(of: folder, words).flatMap { entries(beside: $0 + "/") }
      }.filter { entry in archives.contains { entry.path.hasSuffix($0) } }
      return (ofFolder + files).map(\.path)
    }
  }

  /// The runs that are in the quarantine of the folder that stands among the words.
  package static var quarantineRuns: CompletionKind {
    .custom { words, _, _ in
      folders(among: words).flatMap { folder in
        let place = "\(folder)/\(FolderNames.state)/\(FolderNames.quarantine)/"
        return entries(beside: place).filter(\.isDirectory).map {
          String($0.path.dropFirst(place.count).dropLast())
        }
      }
    }
  }

  private struct Entry {
    let path: String
    let isDirectory: Bool
  }

  /// What is in the directory that a path has come to so far, hidden files only where one was begun.
  private static func entries(beside start: String) -> [Entry] {
    let end = start.lastIndex(of: "/")
    let place = end.map { String(start[...$0]) } ?? ""
    let begun = end.map { start[start.index(after: $0)...] } ?? start[...]
    // What cannot be listed has nothing to offer.
    guard let directory = try? open(place.isEmpty ? "." : place),
      let found = try? directory.entries()
    else { return [] }
    return found.compactMap { entry in
      guard let name = DisplayText.word(shownAs: entry.name.description),
        begun.hasPrefix(".") || !name.hasPrefix(".")
      else { return nil }
      let isDirectory = entry.kind == .directory
      return Entry(path: place + name + (isDirectory ? "/" : ""), isDirectory: isDirectory)
    }.sorted { $0.path < $1.path }
  }

  private static func folders(among words: [String]) -> [String] {
    words.dropFirst().filter { word in
      // A word that is no directory is something else.
      !word.hasPrefix("-") && (try? open(word)) != nil
    }.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  private static func backupDirectories(of folder: String, _ words: [String]) -> [String] {
    if let option = words.firstIndex(of: "--backup-dir"), option + 1 < words.count {
      return [words[option + 1]]
    }
    return [folder + "-backups"]
  }

  private static func open(_ path: String) throws -> Directory? {
    try FolderAccess.openIfPresent(
      path, context: RunContext(command: "completion"), unfinishedRestore: .expected)
  }
}
