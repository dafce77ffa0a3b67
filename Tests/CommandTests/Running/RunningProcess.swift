import Foundation

#if os(Linux)
  /// A process of any parent, looked at through `/proc`.
  struct RunningProcess {
    let processIdentifier: Int32

    /// The start of its name; empty once it is gone.
    var name: String {
      text("comm").trimmingCharacters(in: .newlines)
    }

    /// The processes it started that are still there.
    var children: [RunningProcess] {
      text("task/\(processIdentifier)/children").split(separator: " ")
        .compactMap { Int32($0) }.map { RunningProcess(processIdentifier: $0) }
    }

    func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Waits until it has a handler for a signal of its own, or is gone.
    func waitUntilListening(to signal: Int32) throws {
      while true {
        let status = text("status")
        if status.isEmpty { return }
        let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?
          .split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        if let caught, caught & (1 << UInt64(signal - 1)) != 0 { return }
        usleep(2_000)
      }
    }

    private func text(_ file: String) -> String {
      // A process that is gone has nothing to say.
      (try? String(contentsOfFile: "/proc/\(processIdentifier)/\(file)", encoding: .utf8)) ?? ""
    }
  }
#endif
