@testable import FolderSync
import Foundation
import Runs

/// Two connections whose pipes lead to each other, on two threads of one process.
struct Lines {
  let here: Connection
  let there: Connection
  private let pipes: [Pipe]

  init(silenceSeconds: Int = 10) {
    let pipes = [Pipe(), Pipe()]
    self.pipes = pipes
    here = Connection(
      to: "there", input: pipes[0].fileHandleForReading.fileDescriptor,
      output: pipes[1].fileHandleForWriting.fileDescriptor, silenceSeconds: silenceSeconds,
      isInterrupted: { false })
    there = Connection(
      to: "here", input: pipes[1].fileHandleForReading.fileDescriptor,
      output: pipes[0].fileHandleForWriting.fileDescriptor, silenceSeconds: silenceSeconds,
      isInterrupted: { false })
  }

  /// Ends what is sent from there.
  func hangUp() throws { try pipes[0].fileHandleForWriting.close() }

  /// Reads there nothing more of what is sent from here, and goes on sending.
  func stopListening() throws { try pipes[1].fileHandleForReading.close() }

  /// Sends bytes as they are.
  func send(_ bytes: [UInt8]) throws {
    try pipes[0].fileHandleForWriting.write(contentsOf: Data(bytes))
  }
}
