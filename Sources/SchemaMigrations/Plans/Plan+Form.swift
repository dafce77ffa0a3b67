package import Folders

/// The form of a plan file.
extension FileForm {
  /// The whole file.
  package static let plan = FileForm(members: [
    Member("plan", .name, isRequired: true, "the name of the plan"),
    Member("profile", .name, "with steps: the profile that says what the data is"),
    Member("description", .text, "for people"),
    Member(
      "parameters", .table(.object(parameter), limit: Plan.largestElementCount),
      "what whoever runs the plan says with --set NAME=VALUE"),
    Member(
      "steps", .list(.object(step), limit: Plan.largestStepCount),
      "the steps over entities, in order"),
    Member(
      "places", .list(.object(placeStep), limit: Plan.largestStepCount),
      "or steps over files and preferences, in order"),
  ])

  /// The forms that can be in themselves.
  package static let planDefinitions = [expressionDefinition, testDefinition, conditionDefinition]

  private static let parameter = FileForm(members: [
    Member(
      "type", .choice(PlanParameter.Kind.allCases.map(\.rawValue)), isRequired: true,
      "what its value is"),
    Member("description", .text, "for people"),
  ])

  private static let step = FileForm(members: [
    Member("id", .name, isRequired: true, "what names the step for good"),
    Member("description", .text, "for people; no part of the checksum"),
    Member("from", version, "the version of the schema that it is for; goes with to"),
    Member("to", version, "the version that it makes of it"),
    Member(
      "risk", .choice(MigrationRisk.allCases.map(\.rawValue)), isRequired: true,
      "additive, transformative, or destructive: something is gone afterwards"),
    Member("condition", condition, "when it runs"),
    Member("platforms", .list(platform, limit: 16), "where it runs; everywhere if not given"),
    Member("leadDevice", .text, "the host of the only device that runs it"),
    Member(
      "layout", .choice(DocumentLayout.allCases.map(\.rawValue)),
      "which documents records are in afterwards; the step is alone in its plan and does nothing else"
    ),
    Member(
      "entities", .table(.list(action, limit: Plan.largestPartCount), limit: 64),
      "what becomes of entities, by kind; each action sees the entity as it was before the step"),
    Member(
      "folds", .table(fold, limit: Plan.largestPartCount),
      "what several entities are made into, by name"),
    Member(
      "create", .list(.object(creation), limit: Plan.largestPartCount),
      "entities that the step makes"),
    Member(
      "verify", .list(promise, limit: Plan.largestPartCount),
      "what holds afterwards, or nothing is published"),
  ])

  private static let placeStep = FileForm(members: [
    Member("id", .name, isRequired: true, "what names the step for good"),
    Member("description", .text, "for people; no part of the checksum"),
    Member(
      "risk", .choice(MigrationRisk.allCases.map(\.rawValue)), isRequired: true,
      "additive, transformative, or destructive: something is gone afterwards"),
    Member("condition", condition, "when it runs"),
    Member("platforms", .list(platform, limit: 16), "where it runs; everywhere if not given"),
    Member("leadDevice", .text, "the host of the only device that runs it"),
    Member(
      "sources", .list(source, limit: Plan.largestPartCount), isRequired: true,
      "where its value comes from; without as the first that holds something counts"),
    Member("destination", .text, isRequired: true, "the file that gets the value"),
    Member("value", expression, "what is made of it; with as, of an object of all by these names"),
    Member(
      "verify",
      .list(
        .object(
          FileForm(members: [
            Member("holds", test, isRequired: true, "what holds for the value at the destination")
          ])), limit: Plan.largestPartCount),
      "what holds afterwards, or nothing is written"),
  ])

  private static let source: Value = {
    let rest = [
      Member("as", .name, "its name, where one value is made of several"),
      Member("owner", .text, "who wrote it"), Member("description", .text, "what it is"),
    ]
    return .oneOf(
      "an object",
      [
        FileForm(
          members: [
            Member("file", .text, isRequired: true, "a file of JSON, seen from the folder"),
            Member("member", .text, "JSON Pointer to a value in it; the file then stays"),
          ] + rest),
        FileForm(
          members: [
            Member("preferences", .text, isRequired: true, "a property list, which is only read"),
            Member("key", .text, isRequired: true, "a key of it"),
          ] + rest),
        FileForm(
          members: [
            Member("keychain", .text, isRequired: true, "an item that only its app can read")
          ] + rest),
        FileForm(
          members: [
            Member("encrypted", .text, isRequired: true, "a file that only its app can read")
          ] + rest),
      ])
  }()

  private static let version = Value.whole(1...Plan.largestVersion)

  private static let platform = Value.choice(Platform.named.map(\.rawValue))

  // MARK: Parts of a step

  private static let assignment = FileForm(members: [
    Member("set", .text, isRequired: true, "the property that gets a value"),
    Member("to", expression, isRequired: true, "its value; what gives none leaves it as it is"),
    Member(
      "type", .choice(PropertyType.names.map(\.name)), "what it is, if the profile does not say it"),
  ])

  private static let action = Value.oneOf(
    "an object",
    [
      assignment,
      FileForm(members: [
        Member("rename", .text, isRequired: true, "the property that gets another name"),
        Member("to", .text, isRequired: true, "its new name"),
      ]),
      FileForm(members: [Member("drop", .text, isRequired: true, "the property that goes")]),
    ])

  private static let fold: Value = {
    let rest = [
      Member("of", .name, isRequired: true, "the kind of the entities"),
      Member("by", expression, "the identity of the entity that each belongs to"),
      Member("where", test, "which of them count"),
    ]
    return .oneOf(
      "an object",
      [
        FileForm(members: [Member("count", .flag, isRequired: true, "how many")] + rest),
        FileForm(members: [Member("sum", expression, isRequired: true, "the sum")] + rest),
        FileForm(members: [Member("minimum", expression, isRequired: true, "the least")] + rest),
        FileForm(members: [Member("maximum", expression, isRequired: true, "the greatest")] + rest),
        FileForm(
          members: [
            Member("list", expression, isRequired: true, "a list of these"),
            Member("orderedBy", expression, "what orders them; then their identities do"),
          ] + rest),
      ])
  }()

  private static let creation = FileForm(members: [
    Member("kind", .name, isRequired: true, "the kind of the new entities"),
    Member("for", .name, "the kind for each of whose entities one is made; without it one in all"),
    Member("where", test, "for which of them"),
    Member("id", expression, isRequired: true, "its identity"),
    Member(
      "fields", .list(.object(assignment), limit: Plan.largestPartCount), isRequired: true,
      "its properties"),
  ])

  private static let promise: Value = {
    let warns = Member("warns", .flag, "whether it is only told where it does not hold")
    return .oneOf(
      "an object",
      [
        FileForm(members: [
          Member("every", .name, isRequired: true, "a kind"),
          Member("holds", test, isRequired: true, "what holds for each of its entities"), warns,
        ]),
        FileForm(members: [
          Member("unique", .name, isRequired: true, "a kind no two of whose have one identity"),
          warns,
        ]),
        FileForm(members: [
          Member("asMany", .name, isRequired: true, "a kind"),
          Member("as", .name, isRequired: true, "a kind of which there are as many"), warns,
        ]),
      ])
  }()

  // MARK: Expressions, tests and conditions

  private static let expression: Value = Value.defined(expressionDefinition)
  private static let test: Value = Value.defined(testDefinition)
  private static let condition: Value = Value.defined(conditionDefinition)

  private static let expressions = Value.list(expression, limit: Plan.largestElementCount)

  private static let expressionDefinition: Definition = Definition("expression") {
    func form(_ members: Member...) -> FileForm { FileForm(members: members) }
    return .oneOf(
      "an expression, an object",
      [
        form(Member("copy", .text, isRequired: true, "a JSON Pointer into the entity's fields")),
        form(Member("constant", .any, isRequired: true, "a value")),
        form(Member("parameter", .name, isRequired: true, "the name of a parameter")),
        form(Member("identity", .flag, isRequired: true, "the identity of the entity")),
        form(Member("fold", .text, isRequired: true, "the name of a fold of the step")),
        form(Member("first", expressions, isRequired: true, "the first that gives something")),
        form(Member("nonNull", expression, isRequired: true, "what that gives, unless it is null")),
        form(
          Member("concatenate", expressions, isRequired: true, "texts one behind the other"),
          Member("separator", .text, "what is between two of them")),
        form(
          Member("split", expression, isRequired: true, "a text that is split"),
          Member("by", .text, isRequired: true, "what it is split at"),
          Member("part", .whole(0...Plan.largestElementCount), "the number of a part, from 0"),
          Member("from", .whole(0...Plan.largestElementCount), "all from that part on"),
          Member("last", .flag, "the last part")),
        form(
          Member("convert", expression, isRequired: true, "a value that gets another type"),
          Member(
            "to", .choice(ValueConversion.allCases.map(\.rawValue)), isRequired: true, "the type")),
        form(
          Member("lookUp", expression, isRequired: true, "what is looked up"),
          Member(
            "in", .table(.any, limit: Plan.largestPartCount), isRequired: true, "the table"),
          Member("else", expression, "what is given for what is not in it")),
        form(
          Member(
            "object", .table(expression, limit: Plan.largestPartCount), isRequired: true,
            "an object of these members")),
        form(Member("list", expressions, isRequired: true, "a list of these elements")),
        form(
          Member("if", test, isRequired: true, "a test"),
          Member("then", expression, isRequired: true, "what is given where it holds"),
          Member("else", expression, "what is given elsewhere")),
      ])
  }

  private static let testDefinition: Definition = Definition("test") {
    let tests = Value.list(test, limit: Plan.largestElementCount)
    func form(_ name: StaticString, _ value: Value, _ meaning: StaticString) -> FileForm {
      FileForm(members: [Member(name, value, isRequired: true, meaning)])
    }
    return .oneOf(
      "a test, an object",
      [
        form("present", expression, "whether it gives something"),
        form("equal", .list(expression, limit: 2), "whether two give the same"),
        form("all", tests, "whether all hold"), form("any", tests, "whether one holds"),
        form("not", test, "whether the other does not hold"),
      ])
  }

  private static let conditionDefinition: Definition = Definition("condition") {
    let conditions = Value.list(condition, limit: Plan.largestElementCount)
    func form(_ name: StaticString, _ value: Value, _ meaning: StaticString) -> FileForm {
      FileForm(members: [Member(name, value, isRequired: true, meaning)])
    }
    return .oneOf(
      "a condition, an object",
      [
        form("appBelow", .text, "the app is older than this version"),
        form("appAtLeast", .text, "the app has this version, or a newer one"),
        form("platform", .list(platform, limit: 16), "the system is one of these"),
        form("freeBytes", .whole(0...(1 << 50)), "so many bytes are free"),
        form("done", .name, "a step before this one was done"),
        form("present", .text, "something is at a source, by its as or its file"),
        FileForm(members: [
          Member("value", .text, isRequired: true, "a source, by its as or its file"),
          Member("at", .text, "JSON Pointer to a value in it"),
          Member("equals", .any, isRequired: true, "what is there"),
        ]),
        form("all", conditions, "all hold"), form("any", conditions, "one holds"),
        form("not", condition, "the other does not hold"),
      ])
  }
}

extension Plan {
  /// The JSON Schema of plan files.
  package static var schema: [UInt8] {
    FileForm.plan.schema(
      title: "A plan of automerge-migrate: how an app's data changes",
      definitions: FileForm.planDefinitions)
  }
}
