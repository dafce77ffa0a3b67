import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What recoveries have kept beside a folder of its damaged documents, until somebody moves it away.
struct SalvagedDocuments {
  /// What follows the name of a document that was moved there as damaged.
  static let mark = ".damaged"

  private struct Place {
    var path: String
    var directory: Directory
  }

  private let folder: Directory
  private let places: [Place]
  /// The documents in any of the places, by their paths in the folder and with the mark of those that
  /// were moved there, ascending.
  let paths: [RelativePath]
  /// What is told where nobody can see whether there are more.
  let findings: [Finding]

  init(of folder: Directory, named places: RecoveryPlaces, context: RunContext)
    throws(MigrationError)
  {
    self.folder = folder
    var found: [Place] = []
    var findings: [Finding] = []
    for number in try Self.numbers(places, context, noting: &findings) {
      let path = places.salvaged(number)
      // A file of that name is somebody else's.
      if let directory = try FolderAccess.openBeside(path, context: context) {
        found.append(Place(path: path, directory: directory))
      }
    }
    self.places = found
    self.findings = findings
    paths = try MigrationError.wrapping { () throws(FileError) in
      var paths: Set<RelativePath> = []
      for place in found { try Self.collect(place.directory, into: &paths) }
      return paths.sorted()
    }
  }

  /// The numbers of the directories there are. Where nobody may list the one they lie in, they are
  /// tried one after the other, and that is told.
  private static func numbers(
    _ places: RecoveryPlaces, _ context: RunContext, noting findings: inout [Finding]
  ) throws(MigrationError) -> [Int] {
    var numbers = [1]
    do throws(MigrationError) {
      let (parent, name) = try FolderAccess.openParent(
        ofPath: places.salvaged(1), context: context)
      for entry in try MigrationError.wrapping({ () throws(FileError) in try parent.entries() }) {
        let start = name.bytes + [UInt8(ascii: "-")]
        guard entry.name.bytes.starts(with: start),
          let number = Int(
            String(decoding: entry.name.bytes.dropFirst(start.count), as: UTF8.self)),
          number > 1
        else { continue }
        numbers.append(number)
      }
      return numbers.sorted()
    } catch {
      let problem = error.diagnostic
      guard problem.kind == .permissionDenied else { throw error }
      findings.append(
        Finding(
          .notLookedAt, .error, path: problem.subject,
          message: "whether more is kept of damaged documents is not known: \(problem.problem)",
          next: problem.remedy))
    }
    var number = 2
    while try FolderAccess.openBeside(places.salvaged(number), context: context) != nil {
      numbers.append(number)
      number += 1
    }
    return numbers
  }

  private static func collect(
    _ place: Directory, into paths: inout Set<RelativePath>
  ) throws(FileError) {
    var waiting: [RelativePath] = [.folder]
    while let path = waiting.popLast() {
      for entry in try place.openDirectory(path).entries() {
        let inner = path.appending(entry.name)
        switch entry.kind {
        // The JSON that a document was made from once more.
        case .directory where !entry.name.hasSuffix(".legacy"): waiting.append(inner)
        case .regular where inner.isDocument || original(of: inner) != inner: paths.insert(inner)
        default: break
        }
      }
    }
  }

  /// The path in the folder of a document that is kept under a path, with the mark or without.
  static func original(of path: RelativePath) -> RelativePath {
    guard let name = path.lastComponent else { return path }
    let wanted = Array((FolderNames.documentExtension + mark).utf8)
    let length = FolderNames.documentExtension.utf8.count
    var end = 0
    while end + wanted.count <= name.bytes.count {
      if name.bytes[end..<end + wanted.count].elementsEqual(wanted),
        let original = FileName(Array(name.bytes[..<(end + length)]))
      {
        return (path.parent ?? .folder).appending(original)
      }
      end += 1
    }
    return path
  }

  /// Returns whether one is kept there as damaged: a recovery died before its JSON was imported, or has
  /// imported it.
  static func isMarked(_ path: RelativePath) -> Bool { original(of: path) != path }

  // MARK: Keeping

  /// Returns where a damaged document is kept, or can be.
  func place(
    for path: RelativePath, bytes: [UInt8], named names: RecoveryPlaces
  ) throws(MigrationError) -> (place: String, salvage: RecoverySituation.Salvage) {
    let salvaged = try Self.salvaging(bytes)
    let shown = try salvaged.map { document throws(MigrationError) in
      try ShownValues(of: document)
    }
    var number = 1
    while true {
      let name = names.salvaged(number)
      guard let place = places.first(where: { $0.path == name }),
        let old = try contents(of: path, in: place)
      else { return (name, shown == nil ? .unreadable : .readable) }
      // What an earlier run left there is as good as new.
      let isKept =
        if let shown { try ShownValues(of: old) == shown } else { old == bytes }
      if isKept { return (name, .kept) }
      number += 1
    }
  }

  /// Returns the first free path in a place that a damaged document can get.
  func aside(for path: RelativePath, in place: String) throws(MigrationError) -> RelativePath {
    var number = 1
    while true {
      let ending = Self.mark + (number == 1 ? "" : ".\(number)")
      guard let aside = RelativePath(path.bytes + Array(ending.utf8)) else { return path }
      guard let place = places.first(where: { $0.path == place }),
        try MigrationError.wrapping({ () throws(FileError) in
          try place.directory.stateIfPresent(of: aside)
        }) != nil
      else { return aside }
      number += 1
    }
  }

  /// Returns the document that can be made of what is left of a damaged one; nil if nothing is.
  private static func salvaging(_ bytes: [UInt8]) throws(MigrationError) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    let salvage = SalvagedDocument(salvaging: bytes, labels: ImportLabel.allCases.map(\.text))
    let entities = SalvagedEntities(salvage)
    guard salvage.isWhole || entities.entities.contains(where: { $0.certainty != .lost }) else {
      return nil
    }
    return try SalvagedFile.document(
      of: salvage, leavingOut: entities.lost, actor: ActorId(), time: 0)
  }

  // MARK: Comparing

  /// Returns what is kept there and shows something else than the folder does.
  func differences() throws(MigrationError) -> [RecoveryReport.Difference] {
    var differences: [RecoveryReport.Difference] = []
    for path in paths {
      let original = Self.original(of: path)
      let there = try ShownValues(of: contents(of: original, in: folder) ?? [])
      for place in places {
        guard let bytes = try contents(of: path, in: place) else { continue }
        let shown = "\(place.path)/\(path.text)"
        guard Self.isWhole(bytes) else {
          // What was moved there itself is damaged, and has been read for what is kept beside it.
          if path == original {
            differences.append(
              RecoveryReport.Difference(place: shown, original: original.description))
          }
          continue
        }
        let lines = try ShownValues(of: bytes).differences(from: there)
        if lines.isEmpty { continue }
        differences.append(
          RecoveryReport.Difference(place: shown, original: original.description, lines: lines))
      }
    }
    return differences
  }

  /// Whether a document loads, and would as it is saved.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    // An error is the answer.
    guard !bytes.isEmpty, let document = try? DocumentState(loading: bytes) else { return false }
    return DocumentInspection(document, name: "", at: nil).survivesSaving
  }

  private func contents(
    of path: RelativePath, in place: Place
  ) throws(MigrationError) -> [UInt8]? {
    try contents(of: path, in: place.directory)
  }

  private func contents(
    of path: RelativePath, in directory: Directory
  ) throws(MigrationError) -> [UInt8]? {
    do throws(FileError) {
      return try directory.contents(of: path, limit: DocumentLoader.largestDocument)
    } catch {
      switch error {
      case .missing, .wrongKind: return nil
      // Nobody can look there, which is told elsewhere.
      case .permissionDenied where directory === folder: return nil
      default: throw MigrationError(error)
      }
    }
  }
}
