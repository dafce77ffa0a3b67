/// Why a file is no profile.
package typealias ProfileError = FormFileError<ProfileDefect.Fact>

extension ProfileDefect.Fact: FormFact {
  package static var noun: StaticString { "profile" }

  package var formFact: FormDefect.Fact? { if case .form(let fact) = self { fact } else { nil } }
}

extension FormFileError<ProfileDefect.Fact> {
  /// Something in a profile is wrong.
  package static func profile(
    file: String, line: Int, column: Int, _ fact: ProfileDefect.Fact
  ) -> Self { .wrong(file: file, line: line, column: column, fact) }
}
