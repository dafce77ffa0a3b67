import Folders
import SchemaMigrations
import Testing

/// A small app and plans for it.
enum SamplePlan {
  /// Two kinds in two versions: `note` and `book`.
  static let profile = """
    {"profile": "sample", "version": 3, "kinds": [
      {"kind": "note", "identity": {"type": "uuid", "property": "id"}, "files": {"paths": ["notes/*.json"]},
       "document": {"path": "notes.automerge"}, "properties": {
        "first": {"type": "string", "until": 2}, "last": {"type": "string", "until": 2},
        "name": {"type": "string", "since": 2}, "made": {"type": "date"}, "size": {"type": "integer"},
        "book": {"type": "reference", "kind": "book"}, "extra": {"type": "json"}}},
      {"kind": "book", "identity": {"type": "string", "property": "title"}, "files": {"paths": ["books.json"], "elements": "/books"},
       "document": {"path": "books.automerge"}, "properties": {
        "count": {"type": "integer", "since": 2}, "color": {"type": "string"}}}]}
    """

  static func made() throws -> Profile {
    try Profile(parsing: Array(profile.utf8), of: "sample.json")
  }

  /// Reads a plan for the app.
  static func plan(_ text: String) throws -> Plan {
    let profile = try made()
    return try Plan(parsing: Array(text.utf8), of: "x.json") { name in
      name == "sample" ? profile : Profile.builtIn(named: name)
    }
  }

  /// Reads a plan of one step from version 1 to 2.
  static func step(_ members: String, risk: String = "destructive") throws -> EntityStep {
    try plan(text(of: members, risk: risk)).steps[0]
  }

  static func text(of members: String, risk: String = "destructive") -> String {
    """
    {"plan": "p", "profile": "sample", "parameters": {"at": {"type": "date"}, "who": {"type": "text"}},
     "steps": [{"id": "a", "from": 1, "to": 2, "risk": "\(risk)",
     \(members)}]}
    """
  }
}
