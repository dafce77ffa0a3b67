/// What a session found: a difference between the engine and the model, or a broken law.
struct SessionFailure: Error, CustomStringConvertible {
  let description: String

  static func require(
    _ condition: Bool, _ description: @autoclosure () -> String
  ) throws(SessionFailure) {
    if !condition { throw SessionFailure(description: description()) }
  }
}
