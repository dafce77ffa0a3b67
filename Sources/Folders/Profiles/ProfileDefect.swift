import Diagnostics

/// What is wrong with a profile, and where in it.
package struct ProfileDefect: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Fact: Hashable, Sendable {
    // The form

    case form(FormDefect.Fact)

    // Names and versions

    case reservedName(String)
    case duplicateKind(String)
    case emptyName
    case duplicateProperty(String)
    case identityAsProperty(String)
    case sinceAboveVersion(since: Int, version: Int)
    case untilAboveVersion(until: Int, version: Int)
    case untilNotAboveSince(until: Int, since: Int)

    // Places

    case path(PathDefect, String)
    case notALock(String)
    case lockIsData(String, kind: String)
    case homeInPart(kind: String)
    case filesWithoutDocument
    case documentWithoutFiles
    case filesAndRows
    case sharedRows(String)
    case notARowName(String)
    case severalContents
    case notAPointer(String)
    case staysNowhere(String)
    case pathsTooLong(limit: Int)
    case sharedFiles(String, other: String, kind: String)
    case sharedDocument(String, other: String, kind: String)
    case documentAmongFiles(String, pattern: String, kind: String)
    case noMonth(String)
    case monthNotUsed
    case undatedMissing
    case undatedHasMonth
    case undatedNotUsed

    // Identities

    case identityWithoutProperty(String)
    case identityWithProperty(String)
    case identityDoesNotFit(String, expected: String)
    case singletonOfMany(String)

    // References, attachments and checks

    case unknownKind(String)
    case ruleWithoutKind
    case targetOfOther(type: String)
    case clearsRequired(String)
    case deletesByLink
    case deletionsChase([String])
    case unknownProperty(String)
    case wrongPropertyType(String, type: String, expected: String)
    case duplicateAttachment(String)
    case severalChecks
    case emptyRange
    case notADecimal(String)
    case notATextPattern(String)
    case orderOfOne(String)
  }

  package typealias Step = FormStep

  /// What is wrong.
  package var fact: Fact
  /// Where, in the file form; the innermost value that is there.
  package var place: [Step]

  /// Creates a defect.
  package init(_ fact: Fact, at place: [Step]) {
    self.fact = fact
    self.place = place
  }
}

extension ProfileDefect.Fact {
  // What is wrong with the form, said as briefly as the rest.

  package static func missingMember(_ name: String) -> Self { .form(.missingMember(name)) }
  package static func wrongForm(expected: String) -> Self { .form(.wrongForm(expected: expected)) }
  package static func tooMany(_ what: String, limit: Int) -> Self {
    .form(.tooMany(what, limit: limit))
  }
  package static func notAName(_ name: String) -> Self { .form(.notAName(name)) }

  /// The fact as a sentence fragment without a trailing stop.
  package var problem: String {
    switch self {
    case .form(let fact): fact.problem
    case .reservedName(let name): "\(DisplayText.quoting(name)) has a meaning of its own"
    case .duplicateKind(let name): "the kind \(DisplayText.quoting(name)) is there twice"
    case .emptyName: "a property without a name"
    case .duplicateProperty(let name): "the property \(DisplayText.quoting(name)) is there twice"
    case .identityAsProperty(let name):
      "\(DisplayText.quoting(name)) is the identity and no other property"
    case .sinceAboveVersion(let since, let version):
      "since version \(since), and the profile's is \(version)"
    case .untilAboveVersion(let until, let version):
      "until version \(until), and the profile's is \(version)"
    case .untilNotAboveSince(let until, let since): "until version \(until), and since \(since)"
    case .path(let defect, let path): "\(DisplayText.quoting(path)) \(defect.problem)"
    case .notALock(let name): "\(DisplayText.quoting(name)) is no name for a lock"
    case .lockIsData(let name, let kind):
      "the lock \(DisplayText.quoting(name)) is a file or document of \(DisplayText.quoting(kind))"
    case .homeInPart(let kind): "\(DisplayText.quoting(kind)) has files, and others have none"
    case .filesWithoutDocument: "files without a document"
    case .documentWithoutFiles: "a document without files"
    case .filesAndRows: "entities are in files or in rows"
    case .notARowName(let name): "\(DisplayText.quoting(name)) can be the name of no entity"
    case .sharedRows(let name):
      "the rows of \(DisplayText.quoting(name)) are of two kinds, or named twice"
    case .severalContents: "entities are in one place of a file only"
    case .notAPointer(let text): "\(DisplayText.quoting(text)) is no JSON Pointer"
    case .staysNowhere(let text): "\(DisplayText.quoting(text)) does not stand beside the entities"
    case .pathsTooLong(let limit):
      "all paths and templates are longer than \(limit.counted("byte"))"
    case .sharedFiles(let path, let other, let kind):
      "a file could match \(DisplayText.quoting(path)) and \(DisplayText.quoting(other)) of \(DisplayText.quoting(kind))"
    case .sharedDocument(let path, let other, let kind):
      "a document could be \(DisplayText.quoting(path)) and \(DisplayText.quoting(other)) of \(DisplayText.quoting(kind))"
    case .documentAmongFiles(let path, let pattern, let kind):
      "the document \(DisplayText.quoting(path)) could match the files \(DisplayText.quoting(pattern)) of \(DisplayText.quoting(kind))"
    case .noMonth(let path): "\(DisplayText.quoting(path)) has no {year} and {month}"
    case .monthNotUsed: "a month of a document that has no place for it"
    case .undatedMissing: "no document for entities without a month"
    case .undatedHasMonth: "a month in the path for entities without one"
    case .undatedNotUsed: "a document for entities without a month, and every one has a month"
    case .identityWithoutProperty(let type): "the identity is a \(type) without a property"
    case .identityWithProperty(let type): "the identity is the \(type) and no property"
    case .identityDoesNotFit(let type, let expected):
      "the identity \(DisplayText.quoting(type)) does not fit the files, expected \(expected)"
    case .singletonOfMany(let path):
      "a singleton in \(DisplayText.quoting(path)), which many files can match"
    case .unknownKind(let name): "there is no kind \(DisplayText.quoting(name))"
    case .ruleWithoutKind: "a rule for deletions of no kind in particular"
    case .targetOfOther(let type): "a property of type \(type) refers to nothing"
    case .clearsRequired(let name): "\(DisplayText.quoting(name)) is required and cannot be cleared"
    case .deletesByLink: "a link that is one of many does not delete an entity"
    case .deletionsChase(let kinds):
      "deletions chase each other: " + kinds.map(DisplayText.quoting).joined(separator: ", ")
    case .unknownProperty(let name): "there is no property \(DisplayText.quoting(name))"
    case .wrongPropertyType(let name, let type, let expected):
      "\(DisplayText.quoting(name)) is of type \(type), expected \(expected)"
    case .duplicateAttachment(let name): "\(DisplayText.quoting(name)) names attachments twice"
    case .severalChecks: "a check of several things, or of none"
    case .emptyRange: "the range is empty"
    case .notADecimal(let text): "\(DisplayText.quoting(text)) has too many digits"
    case .notATextPattern(let text): "\(DisplayText.quoting(text)) is no pattern"
    case .orderOfOne(let name): "\(DisplayText.quoting(name)) is compared with itself"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .form(let fact): fact.remedy("--profile-schema")
    case .reservedName: "take another name"
    case .duplicateKind: "give each kind a name of its own"
    case .emptyName: "leave it out: members that nobody declares are carried as they are"
    case .duplicateProperty: "leave one out"
    case .identityAsProperty: "leave it out of the properties"
    case .sinceAboveVersion, .untilAboveVersion: "raise the profile's version"
    case .untilNotAboveSince: "name the first version without it, which comes after \"since\""
    case .path(let defect, _): defect.remedy
    case .notALock: "name a file at the top of the folder that is not ours"
    case .lockIsData: "name the file that the app locks, which holds no data"
    case .homeInPart: "give all kinds files and a document, or none"
    case .filesWithoutDocument: "add \"document\""
    case .documentWithoutFiles: "add \"files\""
    case .filesAndRows: "leave one of them out"
    case .notARowName:
      "write it as the store has it: at most 255 bytes, and nothing that ends a line"
    case .sharedRows: "name it once"
    case .severalContents: "give one of \"value\", \"elements\" and \"members\", or none of them"
    case .notAPointer: "write it as in \"/tags\"; a slash in a name is ~1, a tilde ~0"
    case .staysNowhere:
      "name what is no entity and holds none, once, and only where entities are in a part of a file"
    case .pathsTooLong: "leave some out, or make them shorter"
    case .sharedFiles: "make the patterns so narrow that each file is of one kind"
    case .sharedDocument: "give each kind documents of its own; names that differ by case are one"
    case .documentAmongFiles: "let the pattern end as the app's files do, as in *.json"
    case .noMonth: "add them, or give \"month\" a date of the entities"
    case .monthNotUsed: "put {year} and {month} into the path, or leave \"month\" out"
    case .undatedMissing: "add \"undated\", the path of one more document"
    case .undatedHasMonth: "name one document, without {year} and {month}"
    case .undatedNotUsed: "leave \"undated\" out"
    case .identityWithoutProperty: "add \"property\""
    case .identityWithProperty: "leave \"property\" out"
    case .identityDoesNotFit:
      "elements need uuid or string, members need member, a value needs singleton"
    case .singletonOfMany: "name one file"
    case .unknownKind: "name a kind of this profile"
    case .ruleWithoutKind: "add \"kind\""
    case .targetOfOther: "only links and reference have \"kind\" and \"onDelete\""
    case .clearsRequired: "use keep, delete or refuse"
    case .deletesByLink: "use keep, clear or refuse"
    case .deletionsChase: "let one of them clear, keep or refuse"
    case .unknownProperty: "name a property of this kind"
    case .wrongPropertyType: "name a property of that type"
    case .duplicateAttachment: "give one list of directories for each property"
    case .severalChecks:
      "give one of \"minimum\" and \"maximum\", \"pattern\", \"notAfter\", \"atMost\", "
        + "\"sameAs\", \"maximumLength\", \"maximumCount\", \"notBlank\", \"past\", \"timeZone\", and "
        + "\"present\" in each check"
    case .emptyRange: "let \"minimum\" be at most \"maximum\""
    case .notADecimal: "use at most 1,000 digits"
    case .notATextPattern: "use *, ?, [a-z] and \\ before what is to stand for itself"
    case .orderOfOne: "name two properties"
    }
  }
}

extension PathDefect {
  /// What is wrong, as what follows a path.
  package var problem: String {
    switch self {
    case .empty: "is empty"
    case .tooLong: "is longer than \(PathPattern.largestByteCount.counted("byte"))"
    case .absolute: "begins with a slash"
    case .emptyPart: "has an empty part"
    case .zeroByte: "holds a zero byte"
    case .ownState: "is where automerge-migrate keeps its own files"
    case .hidden: "has a part that begins with a dot"
    case .leavesFolder: "has a part . or .."
    case .anyPartsInPart: "has ** beside something else in a part"
    case .anyPartsTwice: "has ** twice"
    case .anyPartsLast: "ends in **"
    case .brace: "has a brace that is not part of {year} or {month}"
    case .captureTwice: "has {year} or {month} twice"
    case .captureAlone: "has one of {year} and {month}"
    case .captureBetweenRuns: "has {year} or {month} between two *"
    case .wildcard: "has a *"
    case .documentExtension: "does not end in a name with .automerge"
    case .notPortable: "has a name that not every system keeps as it is"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .empty, .emptyPart: "name each part, without slashes at the ends"
    case .tooLong: "use * for what differs"
    case .absolute, .leavesFolder: "write the path as seen from the folder, without . and .."
    case .zeroByte, .notPortable: "use letters, digits, -, _ and ."
    case .ownState, .hidden: "name a visible place: names that begin with a dot are no data"
    case .anyPartsInPart, .anyPartsTwice: "use ** once, as a part of its own"
    case .anyPartsLast: "say which files: **/* are all"
    case .brace, .captureTwice, .captureAlone: "use {year} and {month} once each, or neither"
    case .captureBetweenRuns: "leave out the * on one side"
    case .wildcard: "say where exactly; {year} and {month} may be filled in"
    case .documentExtension: "end it as in notes.automerge"
    }
  }
}
