package import Folders
package import SafeFiles

/// Steps that change the data of an app, as a file says them: its entities from one version of their schema
/// to another, or the files and preferences that it keeps values in.
package struct Plan: Sendable {
  /// The most bytes of a file.
  package static let largestFile = 1 << 20
  /// The most steps of one plan.
  package static let largestStepCount = 256
  /// The most actions, folds, creations and promises of one step.
  package static let largestPartCount = 1000
  /// The most elements of one part of an expression.
  package static let largestElementCount = 256
  /// The largest version of a schema.
  package static let largestVersion = Profile.largestVersion

  /// What it is called.
  package let name: String
  /// The profile that says what the data is; nil if its steps are about places.
  package let profile: Profile?
  /// For people.
  package let description: String?
  /// What whoever runs it has to say.
  package let parameters: [PlanParameter]
  /// The steps over entities, in order.
  package let steps: [EntityStep]
  /// The steps over files and preferences, in order; a plan has the one or the other.
  package let places: [PlaceStep]

  /// The step that gives records another layout, which is alone in its plan; nil if there is none.
  package var layoutStep: EntityStep? { steps.first { $0.layout != nil } }

  /// Returns the step of that name.
  package func step(_ id: MigrationID) -> EntityStep? { steps.first { $0.id == id } }
}

/// What whoever runs a plan has to say.
package struct PlanParameter: Hashable, Sendable {
  /// What a value is.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case text, integer, number, boolean, date, uuid, timeZone
  }

  /// What it is called.
  package let name: String
  /// What its value is.
  package let kind: Kind
  /// For people.
  package let description: String?

  /// Reads a value; nil if the text is none of the kind.
  package func value(_ text: String) -> MigrationValue? {
    let conversion: ValueConversion
    switch kind {
    case .text: return .text(text)
    case .timeZone: return TimeZoneNames.contains(Array(text.utf8).span) ? .text(text) : nil
    case .integer: conversion = .integer
    case .number: conversion = .number
    case .boolean: conversion = .boolean
    case .date: conversion = .date
    case .uuid: conversion = .uuid
    }
    return conversion.converted(.text(text))
  }
}

/// A step over the entities of an app.
package struct EntityStep: Sendable {
  /// What names it, for good.
  package let id: MigrationID
  /// For people.
  package let description: String?
  /// The versions of the schema before and after it; nil if it does not depend on one.
  package let versions: Versions?
  /// What it does to data that an older version of the app still reads.
  package let risk: MigrationRisk
  /// When it runs; nil means always.
  package let condition: MigrationCondition?
  /// Where it runs; empty means everywhere.
  package let platforms: Set<Platform>
  /// The host of the only device that runs it; nil means each.
  package let leadDevice: String?
  /// The layout that records get, if that is all the step does; nil if it does anything else.
  package let layout: DocumentLayout?
  /// What becomes of entities, by the names of their kinds.
  package let mappings: [Mapping]
  /// What entities are made into together.
  package let folds: [Fold]
  /// The entities that it makes.
  package let creations: [Creation]
  /// What holds afterwards.
  package let promises: [Promise]
  /// What tells it from every other step: the SHA-256 of its canonical JSON, without what is for people.
  package let checksum: ContentHash

  /// The versions of the schema before and after a step.
  package struct Versions: Hashable, Sendable {
    package let from: Int
    package let to: Int
  }

  /// What becomes of the entities of a kind. Each action sees the entity as it was before the step.
  package struct Mapping: Hashable, Sendable {
    package let kind: String
    package let actions: [Action]
  }

  /// What becomes of a property.
  package enum Action: Hashable, Sendable {
    /// It gets a value; what gives none leaves it as it is.
    case set(Assignment)
    case rename(String, to: String)
    case drop(String)
  }

  /// A property that gets a value.
  package struct Assignment: Hashable, Sendable {
    package let property: String
    package let value: ValueExpression
    /// What its values are; nil if the profile says it.
    package let type: PropertyType?
  }

  /// What several entities are made into.
  package struct Fold: Hashable, Sendable {
    package let name: String
    /// The kind of the entities.
    package let kind: String
    /// What gives the identity of the entity that they belong to; nil if they belong to none.
    package let group: ValueExpression?
    /// Which of them count; nil means all.
    package let test: ValueTest?
    package let combining: Combining

    /// How they are put together. Nothing depends on the order in which they come.
    package enum Combining: Hashable, Sendable {
      case count
      case sum(ValueExpression)
      case minimum(ValueExpression)
      case maximum(ValueExpression)
      /// In the order of another value, then of their identities.
      case list(ValueExpression, orderedBy: ValueExpression?)
    }
  }

  /// Entities that a step makes.
  package struct Creation: Hashable, Sendable {
    package let kind: String
    /// The kind for each of whose entities one is made; nil if it is one in all.
    package let source: String?
    /// For which of them; nil means all.
    package let test: ValueTest?
    package let identity: ValueExpression
    package let fields: [Assignment]
  }

  /// What holds after a step.
  package struct Promise: Hashable, Sendable {
    package let fact: Fact
    /// Whether it is only told where it does not hold.
    package let isWarning: Bool

    package enum Fact: Hashable, Sendable {
      /// A test holds for each entity of a kind.
      case every(String, ValueTest)
      /// No two entities of a kind have one identity.
      case unique(String)
      /// There are as many entities of one kind as of another.
      case asMany(String, as: String)
    }

    /// What is said of an entity for which it does not hold.
    package var problem: String {
      switch fact {
      case .unique: "it is there twice"
      case .every, .asMany: "what the step promises does not hold"
      }
    }
  }
}
