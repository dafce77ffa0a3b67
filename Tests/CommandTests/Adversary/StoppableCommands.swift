import Foundation
import Testing

#if os(Linux)
  /// Where a command is stopped: after a system call of the command, or of one that a script runs.
  struct StopPoint: Hashable, CustomStringConvertible {
    /// Which command of a script it is, counted from 1.
    var command = 1
    var call: String
    /// Which call of this name in its thread, counted from 1.
    var count: Int

    var description: String { "\(call) \(count) of command \(command)" }
  }

  /// The scripts and commands, each of which can be stopped at a system call while others run.
  ///
  /// They are called through a word that counts them and puts one of them under strace.
  final class StoppableCommands {
    /// Whether one process may stop another at its system calls; some containers forbid it.
    static let canTrace =
      (try? CommandTests.run(
        URL(filePath: "/usr/bin/env"), ["strace", "-qqq", "-o", "/dev/null", "true"], input: nil
      ).status) == 0

    /// Those that change the file system, and the lock.
    private static let changing: Set = [
      "mkdirat", "renameat2", "renameat", "unlinkat", "linkat", "symlinkat", "write", "pwrite64",
      "fsync", "fdatasync", "fchmod", "utimensat", "ftruncate", "flock",
    ]
    private static let looking: Set = [
      "openat", "newfstatat", "fstat", "statx", "getdents64", "read", "pread64",
    ]

    private let scripts: InstalledScripts
    private let state: TemporaryDirectory

    init() throws {
      scripts = try InstalledScripts()
      state = try TemporaryDirectory()
      for name in BuiltCommands.names {
        try scripts.replace(
          name,
          with: """
            state='\(state.url.path)'
            number=$(( $(cat "$state/number") + 1 ))
            echo $number >"$state/number"
            stop=$(cat "$state/stop")
            if [ "$stop" = all ]; then
              exec strace -f -o "$state/trace.$number" -e signal=none \\
                -e trace=\(Self.changing.union(Self.looking).sorted().joined(separator: ",")) \\
                "$real" "$@"
            elif [ "${stop%% *}" = "$number" ]; then
              stop=${stop#* }
              exec strace -f -o "$state/log" -e signal=SIGSTOP -e trace="${stop%% *}" \\
                -e inject="${stop%% *}:signal=SIGSTOP:when=${stop#* }" "$real" "$@"
            fi
            exec "$real" "$@"
            """)
      }
    }

    /// Starts a command or script that stops at a point.
    func start(_ words: [String], at point: StopPoint) throws -> StoppedCommand {
      try start(words, "\(point.command) \(point.call) \(point.count)")
    }

    /// Runs a command or script whole and returns where it can be stopped: after each call that
    /// changes something, and after the last look before it.
    func points(of words: [String]) throws -> [StopPoint] {
      _ = try start(words, "all").ended()
      let names = try FileManager.default.contentsOfDirectory(atPath: state.url.path)
      var points: [StopPoint] = []
      var seen: Set<StopPoint> = []
      for name in names.filter({ $0.hasPrefix("trace.") }).sorted() {
        guard let number = Int(name.dropFirst("trace.".count)) else { continue }
        let log = try String(contentsOf: state.url.appending(path: name), encoding: .utf8)
        for point in Self.points(inTrace: log, of: number) where seen.insert(point).inserted {
          points.append(point)
        }
      }
      return points
    }

    private static func points(inTrace log: String, of command: Int) -> [StopPoint] {
      var counts: [Substring: Int] = [:]
      var last: [Substring: StopPoint] = [:]
      var points: [StopPoint] = []
      for line in log.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard words.count == 2, let call = words[1].firstMatch(of: /^\s*([a-z0-9]+)\(/)?.1 else {
          continue
        }
        let key = words[0] + " " + call
        counts[key, default: 0] += 1
        let point = StopPoint(command: command, call: String(call), count: counts[key] ?? 1)
        if changing.contains(point.call) {
          if let before = last[words[0]] { points.append(before) }
          points.append(point)
        }
        last[words[0]] = point
      }
      return points
    }

    private func start(_ words: [String], _ stop: String) throws -> StoppedCommand {
      let names = try FileManager.default.contentsOfDirectory(atPath: state.url.path)
      for name in names { try FileManager.default.removeItem(at: state.url.appending(path: name)) }
      try Data("0\n".utf8).write(to: state.url.appending(path: "number"))
      try Data("\(stop)\n".utf8).write(to: state.url.appending(path: "stop"))
      let command = try RunningCommand(
        scripts.directory.appending(path: words[0]), Array(words.dropFirst()))
      try command.input.close()
      return StoppedCommand(command: command, log: state.url.appending(path: "log"))
    }
  }

  /// A command that stops, or has stopped, at a point.
  struct StoppedCommand {
    fileprivate let command: RunningCommand
    fileprivate let log: URL

    /// Waits until it has stopped and returns its process; nil if it has ended instead.
    func waitUntilStopped() throws -> Int32? {
      while true {
        let isRunning = command.isRunning
        // Until something stops, strace has said nothing.
        if let text = try? String(contentsOf: log, encoding: .utf8), !text.isEmpty,
          let match = text.firstMatch(of: /(\d+) +--- stopped by SIGSTOP/)
        {
          return Int32(match.1)
        }
        guard isRunning else { return nil }
        usleep(5_000)
      }
    }

    /// Lets it go on, and waits for its end.
    func ended() throws -> CommandRun {
      while command.isRunning {
        // Each thread that comes to the call stops all of them.
        if let process = try waitUntilStopped() { kill(process, SIGCONT) }
        usleep(5_000)
      }
      return try command.wait()
    }

    /// Ends it where it is.
    func killed() throws -> CommandRun {
      command.sendToAll(SIGKILL)
      return try command.wait()
    }
  }
#endif
