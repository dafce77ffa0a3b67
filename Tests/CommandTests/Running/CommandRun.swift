import Foundation

/// What a command did when it ran as a user runs it.
struct CommandRun {
  /// The exit status; 128 and the number for a death by signal, as a shell says it.
  let status: Int32
  /// The signal it died by, if it did.
  let signal: Int32?
  let output: String
  let errors: String

  /// The lines of standard output as JSON objects.
  var jsonLines: [[String: Any]] { Self.jsonLines(of: output) }

  /// The last line of standard output, if it is a summary record.
  var summary: [String: Any]? {
    jsonLines.last.flatMap { $0["type"] as? String == "summary" ? $0 : nil }
  }

  static func jsonLines(of text: String) -> [[String: Any]] {
    text.split(separator: "\n").compactMap { line in
      try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
  }
}

/// Runs a command and waits for its end.
func run(
  _ command: String, _ arguments: String..., input: String? = nil, in directory: URL? = nil
) throws -> CommandRun {
  try run(BuiltCommands.directory.appending(path: command), arguments, input: input, in: directory)
}

/// Runs a command with arguments that are a list, and waits for its end.
func run(_ command: String, _ arguments: [String]) throws -> CommandRun {
  try run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
}

/// Runs `script` in a shell; `"$0"` and `"$@"` in it are the command and its arguments.
func runInShell(
  _ script: String, _ command: String, _ arguments: String..., in directory: URL? = nil
) throws -> CommandRun {
  let path = BuiltCommands.directory.appending(path: command).path
  return try run(
    URL(filePath: "/bin/sh"), ["-c", script, path] + arguments, input: nil, in: directory)
}

func run(
  _ executable: URL, _ arguments: [String], input: String?, in directory: URL? = nil
) throws -> CommandRun {
  let command = try RunningCommand(executable, arguments, in: directory)
  if let input { try command.input.write(contentsOf: Data(input.utf8)) }
  try command.input.close()
  return try command.wait()
}
