#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A document whose objects lie deeper in each other than a tree of values should be.
struct NestingError: LocalizedError, Equatable {
  let depthLimit: Int

  var errorDescription: String? { "the document is more than \(depthLimit) levels deep" }
}
