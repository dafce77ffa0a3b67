import Diagnostics
import SafeFiles

/// What two sides have to say to each other. Both make the same of the same two indexes.
struct SyncPlan {
  /// A document that is not on both sides as it is on the other.
  struct Document {
    var path: RelativePath
    /// Nil if it is on one side only.
    var here: SideIndex.Document?
    var there: SideIndex.Document?

    /// How much there is to read for it.
    var byteCount: Int { max(here?.byteCount ?? 0, there?.byteCount ?? 0) }
  }

  /// An attached file that one side has.
  struct File {
    var path: RelativePath
    var content: SideIndex.File
    var isHere: Bool
  }

  /// By path; numbers on the wire are places in here.
  private(set) var documents: [Document] = []
  private(set) var files: [File] = []
  /// Attached files of which each side has other bytes.
  private(set) var differing: [RelativePath] = []
  /// How many documents and files are the same on both sides.
  private(set) var equalDocumentCount = 0
  private(set) var equalFileCount = 0
  /// How many are not the same and stay so, because one side takes or gives nothing there.
  private(set) var declinedCount = 0

  /// - Parameter declined: of which one side or the other takes and gives nothing.
  init(here: SideIndex, there: SideIndex, declined: Set<RelativePath>) {
    declinedCount = declined.count {
      here.documents[$0] != there.documents[$0] || here.files[$0] != there.files[$0]
    }
    here.documents.forEachPair(with: there.documents) { path, own, other in
      if declined.contains(path) { return }
      if own?.heads == other?.heads {
        equalDocumentCount += 1
      } else {
        documents.append(Document(path: path, here: own, there: other))
      }
    }
    var apart: [File] = []
    here.files.forEachPair(with: there.files) { path, own, other in
      switch (own, other) {
      case (let own?, let other?):
        if declined.contains(path) { return }
        if own == other { equalFileCount += 1 } else { differing.append(path) }
      case (let own?, nil): apart.append(File(path: path, content: own, isHere: true))
      case (nil, let other?): apart.append(File(path: path, content: other, isHere: false))
      case (nil, nil): return
      }
    }
    let names = CanonicalNames(apart)
    for file in apart where !declined.contains(file.path) {
      guard let twin = names.twin(of: file) else {
        files.append(file)
        continue
      }
      // It is counted with the name of this side.
      guard file.isHere else { continue }
      if twin.content == file.content {
        equalFileCount += 1
      } else {
        differing.append(file.path)
      }
    }
    differing.sort()
  }

  /// Returns the SHA-256 of what is numbered: whoever understood something else than the other side would
  /// take what is said of one document for another.
  ///
  /// - Parameter isClient: whether this side is the one that begins; both write that one first.
  func digest(isClient: Bool) -> ContentHash {
    var writer = WireWriter()
    writer.number(documents.count)
    for document in documents {
      writer.data(document.path.bytes)
      let sides = [document.here, document.there]
      for side in isClient ? sides : sides.reversed() { writer.data(side?.heads.bytes ?? []) }
    }
    writer.number(files.count)
    for file in files {
      writer.data(file.path.bytes)
      writer.raw(file.content.hash.bytes)
      writer.number(file.content.byteCount)
      writer.number(file.isHere == isClient ? 1 : 0)
    }
    return ContentHash(of: writer.bytes)
  }
}

/// Names of files that were composed on one system and decomposed on the other are one name.
private struct CanonicalNames {
  private var ours: [String: SyncPlan.File] = [:]
  private var theirs: [String: SyncPlan.File] = [:]

  /// - Parameter apart: the files of which the other side has none of the same bytes for a name.
  init(_ apart: [SyncPlan.File]) {
    for file in apart {
      guard let text = Self.text(file.path) else { continue }
      if file.isHere { ours[text] = file } else { theirs[text] = file }
    }
  }

  /// Returns the file of the other side whose name is the same.
  func twin(of file: SyncPlan.File) -> SyncPlan.File? {
    Self.text(file.path).flatMap { file.isHere ? theirs[$0] : ours[$0] }
  }

  /// Texts are equal if they are canonically equivalent; nil where that says no more than the bytes.
  private static func text(_ path: RelativePath) -> String? {
    guard path.bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    return String(validating: path.bytes, as: UTF8.self)
  }
}
