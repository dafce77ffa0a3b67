#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Returns every entry but `.` and `..`, ascending by the bytes of the names.
  ///
  /// One pass over the directory; an entry is inspected only where the file system does not say
  /// in the listing what it is.
  package func entries() throws(FileError) -> [DirectoryEntry] {
    var names: [UInt8] = []
    var found: [Raw] = []
    do { try list(into: &names, &found) } catch {
      // It is open, so it is a directory, and neither gone nor a link.
      throw [ENOENT, ENOTDIR, ELOOP].contains(error.number)
        ? .system(path: path, action: .list, number: error.number)
        : FileError(error, .list, path)
    }
    // SAFETY: offsets and lengths were taken while the names were appended to this array.
    unsafe names.withUnsafeBytes { names in
      guard let start = names.baseAddress else { return }
      found.sort { left, right in
        let order = unsafe memcmp(
          start + left.offset, start + right.offset, min(left.length, right.length))
        return order != 0 ? order < 0 : left.length < right.length
      }
    }
    var entries: [DirectoryEntry] = []
    entries.reserveCapacity(found.count)
    for raw in found {
      let name = FileName(trusted: Array(names[raw.offset..<raw.offset + raw.length]))
      var kind = raw.kind
      if kind == .unknown {
        // An entry that is gone by now was not there when this listing is looked at.
        do { kind = try operations.state(of: name, in: descriptor).kind } catch {
          if error.number == ENOENT { continue }
          throw FileError(error, .inspect, path(of: name))
        }
      }
      entries.append(DirectoryEntry(name: name, kind: kind))
    }
    return entries
  }

  private struct Raw {
    var offset: Int
    var length: Int
    var kind: FileKind
  }

  private func list(into names: inout [UInt8], _ found: inout [Raw]) throws(SystemCallError) {
    // A descriptor of its own, because reading moves a position that threads would share.
    let own = try operations.open(
      FileName(trusted: [UInt8(ascii: ".")]), in: descriptor, flags: O_RDONLY | O_DIRECTORY)
    // SAFETY: fdopendir takes over the descriptor; closedir below closes both.
    guard let stream = unsafe fdopendir(own) else {
      let error = SystemCallError.last
      close(own)
      throw error
    }
    // SAFETY: the stream is open and not used after this.
    defer { unsafe closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while true {
      errno = 0
      // SAFETY: the entry stays valid until the next call on this stream, which is in the next
      // turn of this loop; only bytes inside the entry are read, up to the zero that ends its name.
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .last }
        return
      }
      // SAFETY: as above.
      let name = unsafe UnsafeRawPointer(entry) + nameOffset
      // SAFETY: as above.
      let length = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
      // SAFETY: as above.
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: length)
      if unsafe bytes[0] == UInt8(ascii: "."),
        unsafe length == 1 || (length == 2 && bytes[1] == UInt8(ascii: "."))
      {
        continue
      }
      // SAFETY: as above.
      let kind = unsafe FileKind(entryType: entry.pointee.d_type)
      found.append(Raw(offset: names.count, length: length, kind: kind))
      unsafe names.append(contentsOf: bytes)
    }
  }
}
