import Diagnostics
package import Folders

/// What is wrong with a plan, and where in it.
package struct PlanDefect: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Fact: Hashable, Sendable {
    case form(FormDefect.Fact)
    case unknownProfile(String)

    // Steps and versions

    case duplicateStep(String)
    case unknownStep(String)
    case circularCondition(String)
    case versionAlone
    case versionsBackwards(from: Int, to: Int)
    case versionAboveProfile(Int, profile: Int)
    case versionGap(after: Int, from: Int)
    case notAVersion(String)
    case riskTooLow(MigrationRisk, property: String)

    case layoutBeside(String)
    case noLayouts(String)

    case stepsOrPlaces
    case profileMissing
    case catalog(MigrationCatalogError)

    // Places

    case path(String)
    case takenBefore(String, by: String)
    case insideAnother(String, String)
    case unknownSource(String)
    case namesMissing
    case valueMissing

    // Kinds and properties

    case unknownKind(String)
    case unknownProperty(String, kind: String, version: Int?)
    case typeOfDeclared(String)
    case duplicateTarget(String)
    case incompatibleTypes(String, type: String, given: String)

    // Expressions

    case notAPointer(String)
    case unknownParameter(String)
    case unknownFold(String)
    case severalParts
    case notTwo
    case nothingToLookAt
  }

  /// What is wrong.
  package var fact: Fact
  /// Where.
  package var place: [FormStep]

  init(_ fact: Fact, at place: [FormStep]) {
    self.fact = fact
    self.place = place
  }
}

extension PlanDefect.Fact {
  /// The fact as a sentence fragment without a trailing stop.
  package var problem: String {
    func quoted(_ text: String) -> String { DisplayText.quoting(text) }
    return switch self {
    case .form(let fact): fact.problem
    case .unknownProfile(let name): "there is no profile \(quoted(name))"
    case .duplicateStep(let id): "two steps are called \(quoted(id))"
    case .unknownStep(let id): "no step before this one is called \(quoted(id))"
    case .circularCondition(let id): "the step \(quoted(id)) waits for itself"
    case .versionAlone: "one of \"from\" and \"to\" without the other"
    case .versionsBackwards(let from, let to): "from version \(from) to \(to)"
    case .versionAboveProfile(let version, let profile):
      "version \(version), and the profile's is \(profile)"
    case .versionGap(let version, let from):
      "from version \(from), and the step before it ends at \(version)"
    case .notAVersion(let text): "\(quoted(text)) is no version of an app"
    case .riskTooLow(let risk, let property):
      "the step is declared \(risk.rawValue), and \(quoted(property)) is lost or overwritten by it"
    case .layoutBeside(let id):
      "the step \(quoted(id)) gives records another layout, and that is not all"
    case .noLayouts(let profile): "\(quoted(profile)) has one layout only"
    case .stepsOrPlaces: "both \"steps\" and \"places\", or none of them"
    case .profileMissing: "the steps are about entities, and no profile says what these are"
    case .catalog(let error): Self.parts(of: error).problem
    case .path(let path): "\(quoted(path)) is no path of a file in the folder"
    case .unknownSource(let name): "the step has no source \(quoted(name))"
    case .namesMissing: "some sources have a name with \"as\", and others have none"
    case .valueMissing: "one value of several sources, and nothing says what is made of them"
    case .insideAnother(let path, let other):
      "\(quoted(path)) and \(quoted(other)) would be a file and what is in it"
    case .takenBefore(let path, let id):
      "it reads \(quoted(path)), and the step \(quoted(id)) before it takes that file away"
    case .unknownKind(let name): "there is no kind \(quoted(name))"
    case .unknownProperty(let name, let kind, let version):
      "\(quoted(kind)) has no property \(quoted(name))"
        + (version.map { " in version \($0)" } ?? "")
    case .typeOfDeclared(let name): "the profile says what \(quoted(name)) is"
    case .duplicateTarget(let name): "two actions make something of \(quoted(name))"
    case .incompatibleTypes(let name, let type, let given):
      "\(quoted(name)) is of type \(type), and gets \(given)"
    case .notAPointer(let text): "\(quoted(text)) is no JSON Pointer to a property"
    case .unknownParameter(let name): "there is no parameter \(quoted(name))"
    case .unknownFold(let name): "the step has no fold \(quoted(name))"
    case .severalParts: "several of \"part\", \"from\" and \"last\", or none"
    case .notTwo: "\"equal\" compares two"
    case .nothingToLookAt: "there is no entity here to be looked at"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .form(let fact): fact.remedy("--print-schema")
    case .unknownProfile: "name a built-in one, or give the file of that profile with --profile"
    case .duplicateStep: "give one of them another name"
    case .unknownStep: "name a step before this one"
    case .circularCondition: "leave that out"
    case .versionAlone: "give both, or none"
    case .versionsBackwards: "let \"to\" be greater than \"from\""
    case .versionAboveProfile: "name a version that the profile has"
    case .versionGap: "add the step between, or mend the versions"
    case .notAVersion: "write numbers with points between them, as in 2.0.1"
    case .riskTooLow: "declare the step destructive, or use the value elsewhere in it"
    case .layoutBeside: "leave everything else out, and give other steps a plan of their own"
    case .noLayouts: "leave the step out"
    case .stepsOrPlaces: "give one of them; a plan is about entities or about places"
    case .profileMissing: "add \"profile\""
    case .catalog(let error): Self.parts(of: error).remedy
    case .takenBefore:
      "let it read what that step writes, or let it come first and read a member of the file"
    case .insideAnother: "write to another file"
    case .path: "write it as seen from the folder, without . and .., and without hidden names"
    case .unknownSource: "name one by its \"as\", or by its file"
    case .namesMissing: "give all of them a name, or none"
    case .valueMissing: "add \"value\""
    case .unknownKind: "name a kind of the profile"
    case .unknownProperty:
      "name a property of that version; one that the profile does not have needs \"type\" where it is set"
    case .typeOfDeclared: "leave \"type\" out"
    case .duplicateTarget: "leave one of them out"
    case .incompatibleTypes: "convert the value, or set another property"
    case .notAPointer: "write it as in \"/name\"; a slash in a name is ~1, a tilde ~0"
    case .unknownParameter: "declare it in \"parameters\""
    case .unknownFold: "declare it in \"folds\" of the step"
    case .severalParts: "give one of them"
    case .notTwo: "give two expressions"
    case .nothingToLookAt:
      "give the creation a \"for\", or use constants, parameters and folds only"
    }
  }
}

extension PlanDefect.Fact {
  /// What a catalogue says, as a problem and a remedy.
  private static func parts(of error: MigrationCatalogError) -> (problem: String, remedy: String) {
    let text = error.description
    // The last one: the key of a place has one, too.
    guard let colon = text.lastIndex(of: ":") else { return (text, "") }
    return (String(text[..<colon]), String(text[text.index(after: colon)...].dropFirst()))
  }
}

/// Why a file is no plan.
package typealias PlanError = FormFileError<PlanDefect.Fact>

extension PlanDefect.Fact: FormFact {
  package static var noun: StaticString { "plan" }

  package var formFact: FormDefect.Fact? { if case .form(let fact) = self { fact } else { nil } }
}

extension FormFileError<PlanDefect.Fact> {
  /// Something in a plan is wrong.
  package static func plan(
    file: String, line: Int, column: Int, _ fact: PlanDefect.Fact
  ) -> Self { .wrong(file: file, line: line, column: column, fact) }
}
