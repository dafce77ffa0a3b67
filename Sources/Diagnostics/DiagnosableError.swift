/// An error that can say what happened, where, and what to do about it.
package protocol DiagnosableError: Error {
  /// The error in the shape every command shows.
  var diagnostic: Diagnostic { get }
}
