import Foundation
import Testing

/// An app whose folder is made difficult: what its files look like, and what commands are told of it.
struct AdversaryApp: Sendable, CustomTestStringConvertible {
  let name: String
  /// Where what is there from the beginning lies.
  private let shared: String
  /// What a backup can give back alone.
  let parts: [String]
  /// What an entity that the app adds is: its path and its JSON, of a number and new values.
  private let entity: @Sendable (Int, () -> String) -> (path: String, text: String)
  private let beginning: @Sendable (() -> String) -> String
  /// Where a file lies that belongs to an entity.
  let attached: String

  var testDescription: String { name }

  static let all = [minuta, notes, habits]
  static let profiled = [notes, habits]

  /// The words that tell a command the profile.
  var told: [String] {
    name == Self.minuta.name
      ? [] : ["--profile", ProfiledApp.fixtures.appending(path: "\(name)/profile.json").path]
  }

  /// Whether it has more than one layout, and months that can be set aside.
  var hasLayouts: Bool { told.isEmpty }

  /// The file that is there from the beginning, with new values.
  func firstFile(_ newValue: () -> String) -> (path: String, text: String) {
    (shared, beginning(newValue))
  }

  /// The file of the entity of a number, counted from 1: every other one is of another month.
  func file(of number: Int, _ newValue: () -> String) -> (path: String, text: String) {
    entity(number, newValue)
  }

  static let minuta = AdversaryApp(
    name: "minuta", shared: "tags.json", parts: ["tags.json", "records/2024/01"],
    entity: { number, newValue in
      let (month, minute) = (1 + number % 2, twoDigits(number))
      return (
        "records/2024/0\(month)/2024-0\(month)-15_09\(minute)00.json",
        #"{"id":"\#(id(number, "B"))","startTime":"2024-0\#(month)-15T09:\#(minute):00Z","#
          + #""comment":"\#(newValue())","images":[]}"#
      )
    },
    beginning: { newValue in
      let tags = (1...3).map { number in
        ##"{"id":"\##(id(number, "A"))","name":"\##(newValue())","color":"#34C759","##
          + #""createdAt":"2024-01-02T08:00:00Z"}"#
      }
      return "{\"tags\":[\(tags.joined(separator: ","))]}"
    },
    attached: "records/2024/01/\(id(1, "B"))_0.jpg")

  /// A file each, text, lists, links, and a list of others in a file that holds more.
  static let notes = AdversaryApp(
    name: "notes", shared: "notebooks.json", parts: ["notebooks.json", "notes/deep"],
    entity: { number, newValue in
      let (month, minute) = (1 + number % 2, twoDigits(number))
      let attached = number == 1 ? #""first.jpg""# : ""
      return (
        "notes/\(number.isMultiple(of: 3) ? "deep/" : "")note \(number).json",
        #"{"id":"\#(id(number, "B"))","title":"\#(newValue())","body":"A text \#(newValue()).","#
          + #""created":"2024-0\#(month)-15T09:\#(minute):00Z","tags":["a","\#(newValue())"],"#
          + #""links":["\#(id(number + 1, "B"))"],"notebook":"1","attachments":[\#(attached)],"#
          + #""mood":{"was":"\#(newValue())"}}"#
      )
    },
    beginning: { newValue in
      let notebooks = (1...3).map { #"{"name":"\#($0)","color":"\#(newValue())"}"# }
      return #"{"version":1,"notebooks":[\#(notebooks.joined(separator: ","))]}"#
    },
    attached: "attachments/first.jpg")

  /// Files whose path is the identity, and a map of others.
  static let habits = AdversaryApp(
    name: "habits", shared: "habits.json", parts: ["habits.json", "log/2024"],
    entity: { number, newValue in
      (
        "log/2024/2024-0\(1 + number % 2)-\(twoDigits(number)).json",
        #"{"done":{"run":"\#(newValue())","read":\#(number)},"mood":3,"note":"\#(newValue())"}"#
      )
    },
    beginning: { newValue in
      let habits = (1...3).map {
        #""habit \#($0)":{"goal":"\#($0).50","unit":"\#(newValue())","schedule":{"mon":true}}"#
      }
      return #"{"app":{"build":1},"habits":{\#(habits.joined(separator: ","))}}"#
    },
    attached: "log/first.jpg")

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static func id(_ number: Int, _ kind: String) -> String {
    let digits = String(number)
    return "0000000\(kind)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
      + digits
  }
}
