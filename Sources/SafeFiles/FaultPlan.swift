import Synchronization

/// Makes one system call fail, so that tests can stop a program at every point it can die at.
///
/// A plan is carried by a `Directory` and inherited by everything opened through it. It counts the
/// calls that change the file system: create, write, synchronize, rename, link, remove, truncate,
/// set attributes. In production there is none.
package final class FaultPlan: Sendable {
  /// What happens at the chosen call.
  package enum Fault: Hashable, Sendable {
    /// The call fails with this error number, later ones work.
    case failure(Int32)
    /// The program dies here: a write is torn in the middle, and no later call does anything.
    case stop
    /// The call is interrupted by a signal once and must be tried again.
    case interruption
    /// A write takes one byte only; other calls work.
    case shortWrite
  }

  private struct State {
    var callCount = 0
    var hasFired = false
  }

  private let call: Int
  private let fault: Fault
  private let state = Mutex(State())

  /// Creates a plan whose fault comes at the given call, counted from 1.
  package init(atCall call: Int, _ fault: Fault) {
    self.call = call
    self.fault = fault
  }

  /// How many calls were counted.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// Whether the chosen call was reached.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// Counts a call and returns what shall happen to it, nil for nothing special.
  func nextFault() -> Fault? {
    state.withLock { state in
      state.callCount += 1
      if state.callCount == call {
        state.hasFired = true
        return fault
      }
      return state.hasFired && fault == .stop ? .failure(Self.deadNumber) : nil
    }
  }

  /// What calls after a simulated death report; nothing else in the module reports it.
  package static let deadNumber: Int32 = 9999
}
