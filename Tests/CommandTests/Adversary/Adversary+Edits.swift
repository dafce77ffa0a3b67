import Automerge
import FileFaults
import Foundation

extension Adversary {
  func makeFolder() throws {
    let first = app.firstFile(newValue)
    try write(first.text, to: first.path)
    for _ in 1...6 { try writeNextEntity() }
    try write(newValue(), to: app.attached)
    try write(newValue(), to: "notes.txt")
  }

  /// Somebody who takes no lock does something to the folder.
  ///
  /// A command that runs may have the file away just now: then nothing was written, and nothing of
  /// it has to be kept.
  func edit() throws {
    let before = required
    do {
      switch random.number(below: 5) {
      case 0: try editJSON()
      case 1: try editDocument()
      case 2, 3: try bringConflictCopy()
      default: try addEntity()
      }
    } catch let error as CocoaError {
      required = before
      tell("which fails: \(error.code.rawValue)")
    }
  }

  /// The app writes another value over one in a JSON file; the old one is gone by its own wish.
  private func editJSON() throws {
    guard let file = any(".json") else { return }
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    guard let old = text.firstRange(of: /~v[0-9]{7}/) else { return }
    let value = newValue()
    required.remove(String(text[old]))
    tell("the app writes \(value) over \(text[old]) in \(shown(file))")
    try write(Data(text.replacingCharacters(in: old, with: value).utf8), to: file)
  }

  private func addEntity() throws {
    tell("the app adds entity \(entityCount + 1)")
    try writeNextEntity()
  }

  private func writeNextEntity() throws {
    entityCount += 1
    let file = app.file(of: entityCount, newValue)
    try write(file.text, to: file.path)
  }

  /// The app changes, adds or deletes something in a document; history keeps what was there.
  private func editDocument() throws {
    guard let file = any(".automerge"),
      let bytes = try edited([UInt8](Data(contentsOf: file)), what: shown(file))
    else { return }
    try write(Data(bytes), to: file)
  }

  private func edited(_ bytes: [UInt8], what: String) throws -> [UInt8]? {
    guard let document = try? Document(Data(bytes)) else { return nil }
    let keys = document.keys(obj: .ROOT)
    guard let key = keys.isEmpty ? nil : keys[random.number(below: keys.count)],
      case .Object(let entity, .Map)? = try document.get(obj: .ROOT, key: key)
    else { return nil }
    if random.isOne(in: 5) {
      try document.delete(obj: .ROOT, key: key)
      tell("the app deletes \(key) in \(what)")
    } else if random.isOne(in: 3), let (field, object) = try anyContainer(in: entity, of: document)
    {
      let value = newValue()
      switch object {
      case .list(let list): try document.insert(obj: list, index: 0, value: .String(value))
      case .text(let text): try document.spliceText(obj: text, start: 0, delete: 0, value: value)
      case .map(let map): try document.put(obj: map, key: "added", value: .String(value))
      }
      tell("the app puts \(value) into \(field) of \(key) in \(what)")
    } else {
      let value = newValue()
      let field = random.isOne(in: 2) ? "comment" : "added"
      try document.put(obj: entity, key: field, value: .String(value))
      tell("the app puts \(value) at \(field) of \(key) in \(what)")
    }
    return [UInt8](document.save())
  }

  private enum Container { case list(ObjId), text(ObjId), map(ObjId) }

  /// A list, text or map of an entity, and its name. Values of links are not for people.
  private func anyContainer(in entity: ObjId, of document: Document) throws -> (String, Container)?
  {
    let containers = try document.mapEntries(obj: entity).compactMap { name, value in
      switch value {
      case .Object(let object, .List): (name, Container.list(object))
      case .Object(let object, .Text): (name, Container.text(object))
      case .Object(let object, .Map) where name != "links": (name, Container.map(object))
      default: nil as (String, Container)?
      }
    }
    return containers.isEmpty ? nil : containers[random.number(below: containers.count)]
  }

  /// A sync service leaves a copy under one of its names, and one of the two was edited.
  private func bringConflictCopy() throws {
    let suffix = [".automerge", ".automerge", ".json", ".jpg"][random.number(below: 4)]
    guard let file = any(suffix) else { return }
    let stem = file.deletingPathExtension().lastPathComponent
    let names = [
      "\(stem) 2", "\(stem) (Anna's conflicted copy 2026-01-06)", "\(stem) (1)",
      "\(stem).sync-conflict-20260106-120000-ABCDEFG", "\(stem)-MACBOOK", "\(stem) [conflicted]",
      "\(stem) (In Konflikt stehende Kopie von Anna 2026-01-06)",
      "\(stem)_Andy-PC_Jan-03-0901-2026_CaseConflict_1",
    ]
    let copy = file.deletingLastPathComponent()
      .appending(path: names[random.number(below: names.count)] + suffix)
    guard !FileManager.default.fileExists(atPath: copy.path) else { return }
    let bytes = try Data(contentsOf: file)
    tell("a sync service copies \(shown(file)) to \(copy.lastPathComponent)")
    switch suffix {
    case ".automerge":
      guard let edited = try edited([UInt8](bytes), what: copy.lastPathComponent) else { return }
      try write(Data(edited), to: copy)
      // A name that looks like a conflict may be all that is left.
      if random.isOne(in: 8) {
        try FileManager.default.removeItem(at: file)
        tell("and the original is gone")
      }
    case ".json":
      let text = String(decoding: bytes, as: UTF8.self)
      guard let old = text.firstRange(of: /~v[0-9]{7}/) else { return }
      try write(Data(text.replacingCharacters(in: old, with: newValue()).utf8), to: copy)
    default:
      try write(random.isOne(in: 2) ? bytes : Data(newValue().utf8), to: copy)
    }
  }

  /// The disk damages a document after a backup was made of it.
  func damageDocument() throws {
    guard try run(["pack-backup", folder.path, "--reuse"]) == 0, let file = any(".automerge") else {
      return
    }
    var bytes = try Data(contentsOf: file)
    let position = random.number(below: bytes.count)
    if random.isOne(in: 3) {
      bytes.removeSubrange(position...)
    } else {
      bytes[position] ^= 0x20
    }
    try write(bytes, to: file)
    counts.damaged += 1
    tell("the disk damages \(shown(file)) at \(position), length \(bytes.count)")
  }

  // MARK: Files

  /// The files of an extension, in a fixed order, our own state and placeholders left out.
  func files(_ suffix: String) -> [URL] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted()
      .map { folder.appending(path: $0) }
  }

  func any(_ suffix: String) -> URL? {
    let files = files(suffix)
    return files.isEmpty ? nil : files[random.number(below: files.count)]
  }

  func shown(_ file: URL) -> String { String(file.path.dropFirst(folder.path.count + 1)) }

  private func write(_ text: String, to path: String) throws {
    try write(Data(text.utf8), to: folder.appending(path: path))
  }

  /// Writes as the app does: beside the file, then over it.
  private func write(_ data: Data, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file, options: .atomic)
  }
}
