#if INTERNAL_CHECKS
  extension Document {
    /// Returns what is wrong with the document's op set; nothing for a sound one.
    func checkInvariants() -> [String] { read { $0.operations.brokenInvariants() } }
  }
#endif
