import Diagnostics
import Folders
import Runs
import SafeFiles

/// What a side says about itself first.
struct Hello {
  /// What the client asks for: the lowest bits of a byte.
  struct Wishes: OptionSet {
    let rawValue: UInt8
    /// Nothing is written on either side.
    static let dryRun = Wishes(rawValue: 1)
    /// The other side notices when its folder changes.
    static let watch = Wishes(rawValue: 2)
  }

  /// Tells folders apart: 16 bytes.
  var identity: FolderIdentity
  var wishes: Wishes
  /// The name of the profile, and the hash of what it says.
  var profile: String
  var profileHash: ContentHash
  var layout: LayoutWord
  /// The version of the tool, and the folder as it was named there.
  var version: String
  var folder: String

  func write(to writer: inout WireWriter) {
    writer.raw(identity.bytes)
    writer.raw([wishes.rawValue, layout.rawValue])
    writer.text(profile)
    writer.raw(profileHash.bytes)
    writer.text(version)
    writer.text(folder)
  }

  init(_ reader: inout WireReader) throws(WireDefect) {
    identity = FolderIdentity(bytes: try reader.raw(FolderIdentity.byteCount))
    let bytes = try reader.raw(2)
    wishes = Wishes(rawValue: bytes[0])
    guard let layout = LayoutWord(rawValue: bytes[1]) else {
      throw WireDefect("names a layout that is unknown", FolderIdentity.byteCount + 1)
    }
    self.layout = layout
    profile = try reader.text()
    profileHash = try ContentHash(wire: reader.raw(32))
    version = try reader.text()
    folder = try reader.text()
    // What newer versions say behind it is theirs.
    _ = reader.rest()
  }

  init(
    _ identity: FolderIdentity, _ wishes: Wishes, kinds: EntityKinds, layout: LayoutWord,
    version: String, folder: String
  ) {
    self.identity = identity
    self.wishes = wishes
    profile = kinds.profileName
    profileHash = ContentHash(of: kinds.profile.file)
    self.layout = layout
    self.version = version
    self.folder = folder
  }
}

/// Which layout the documents of a folder show.
enum LayoutWord: UInt8 {
  case none = 0
  case monthly = 1
  case perRecord = 2
  case mixed = 3

  init(_ inventory: FolderInventory) {
    switch inventory.layoutEvidence {
    case .none: self = .none
    case .only(.monthly): self = .monthly
    case .only(.perRecord): self = .perRecord
    case .mixed: self = .mixed
    }
  }

  /// Whether documents of one side can lie on the other under the same paths, and be read there.
  func fits(_ other: LayoutWord) -> Bool { self == other || self == .none || other == .none }

  var name: String {
    switch self {
    case .none: "no documents of records"
    case .monthly: "a document for each month"
    case .perRecord: "a document for each record"
    case .mixed: "documents of months and of records"
    }
  }
}

/// Why a side ends the connection.
struct Failure {
  var kind: Diagnostic.Kind
  var subject: String
  var problem: String
  var remedy: String

  init(_ diagnostic: Diagnostic) {
    kind = diagnostic.kind
    subject = diagnostic.subject
    problem = diagnostic.problem + (diagnostic.cause.map { ": " + $0 } ?? "")
    remedy = diagnostic.remedy ?? ""
  }

  init(_ reader: inout WireReader) throws(WireDefect) {
    kind = Diagnostic.Kind(rawValue: try reader.text()) ?? .internalError
    subject = try reader.line()
    problem = try reader.line()
    remedy = try reader.line()
  }

  func write(to writer: inout WireWriter) {
    for text in [kind.rawValue, subject, problem, remedy] { writer.text(text) }
  }

  /// The failure as this side reports it.
  func error(of peer: String) -> MigrationError {
    .underlying(
      Diagnostic(
        kind, subject: subject.isEmpty ? peer : subject, problem: "\(problem), on the other side",
        remedy: remedy.isEmpty ? nil : remedy))
  }
}

extension Finding {
  /// Reads a finding of the other side.
  init(ofPeer reader: inout WireReader) throws(WireDefect) {
    let code = FindingCode(rawValue: try reader.text()) ?? .notSynced
    let severity = Severity(rawValue: try reader.text()) ?? .warning
    let path = try reader.text()
    let message = try reader.text()
    let next = try reader.text()
    self.init(
      code, severity, path: path, message: "on the other side: \(message)",
      next: next.isEmpty ? nil : next)
  }

  func write(to writer: inout WireWriter) {
    for text in [code.rawValue, severity.rawValue, path, message, next ?? ""] { writer.text(text) }
  }
}

extension ContentHash {
  init(wire bytes: [UInt8]) throws(WireDefect) {
    guard let hash = ContentHash(bytes: bytes) else { throw WireDefect("holds no hash", 0) }
    self = hash
  }
}
