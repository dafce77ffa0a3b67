import FileFaults
import Foundation

@testable import SafeFiles

/// A directory in a temporary place that goes away with the value.
final class TestPlace: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What stays behind in the temporary directory harms no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  func open(_ operations: any FileOperations = SystemFileOperations()) throws -> Directory {
    try Directory.open(path: path, operations: operations)
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func exists(_ name: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path + "/" + name)) != nil
  }

  /// Every name below the place, sorted.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  func setOwner(_ owner: FileOwner, of name: String) throws {
    try FileManager.default.setAttributes(
      [.ownerAccountID: owner.user, .groupOwnerAccountID: owner.group],
      ofItemAtPath: path + "/" + name)
  }

  /// Sets a modification time to the nanosecond, as Foundation does not.
  func setModified(_ time: FileTime, of name: String) throws {
    guard let name = FileName(name) else { return }
    let directory = try open()
    try directory.operations.setModified(time, ofLink: name, in: directory.descriptor)
  }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: path + "/" + name)
  }
}

/// Runs something under a fault at call 1, 2, 3, ... until no fault fires any more.
///
/// `attempt` gets a plan that has not fired yet; `check` looks at what it left behind. Returns how
/// many calls there were.
@discardableResult
func withFaultAtEveryCall(
  _ fault: FaultPlan.Fault, attempt: (FaultPlan) throws -> Void, check: (_ call: Int) throws -> Void
) throws -> Int {
  var call = 1
  while true {
    let plan = FaultPlan(atCall: call, fault)
    try attempt(plan)
    if !plan.hasFired { return call - 1 }
    try check(call)
    call += 1
  }
}
