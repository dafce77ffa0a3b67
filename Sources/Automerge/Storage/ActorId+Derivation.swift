extension ActorId {
  /// Whether the id was derived from a change under a label (see `ChangeDraft.finish(deriving:)`):
  /// then the change is what its author wrote, whatever became of the document it was in.
  ///
  /// - Parameter body: the change's canonical body, with this author.
  package func isDerived(from body: [UInt8], label: StaticString) -> Bool {
    guard byteCount == 16 else { return false }
    var reader = ByteReader(body)
    // A body that does not begin like one has no author.
    guard (try? reader.readHashes()) != nil, let range = try? reader.readPrefixedRange(),
      body[range].elementsEqual(bytes)
    else { return false }
    var anonymous = body
    for index in range { anonymous[index] = 0 }
    return ChangeHash(sha256Of: label, and: anonymous).prefixActor == self
  }
}
