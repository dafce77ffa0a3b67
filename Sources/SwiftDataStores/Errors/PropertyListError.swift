/// Why bytes are no property list, or no archive of what was expected.
package struct PropertyListError: Error, Hashable {
  /// What is wrong.
  package enum Problem: Hashable, Sendable {
    /// The bytes end before they should.
    case truncated
    /// It begins neither as a binary nor as an XML property list.
    case unknownFormat
    /// Something is there that the format does not have.
    case malformed(String)
    /// There is more than any store needs.
    case limitExceeded(String)
    /// An object contains itself.
    case cycle
    /// The compressed bytes are no whole DEFLATE stream.
    case corruptDeflate
    /// The object is not what the archive of a model has in its place.
    case unexpected(String)
  }

  /// What is wrong.
  package var problem: Problem
  /// Where, in bytes from the start; of inflated bytes where those were read.
  package var offset: Int

  /// Creates an error.
  package init(_ problem: Problem, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  /// The problem as a part of a sentence.
  package var text: String {
    let text =
      switch problem {
      case .truncated: "it ends too early"
      case .unknownFormat: "it is no property list"
      case .malformed(let what): "\(what) makes no sense"
      case .limitExceeded(let what): "it has more \(what) than any store needs"
      case .cycle: "an object contains itself"
      case .corruptDeflate: "it does not inflate"
      case .unexpected(let what): "it has no \(what) where one belongs"
      }
    return "\(text) (offset \(offset))"
  }
}
