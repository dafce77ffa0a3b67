/// Why a replica refuses a command; what the engine must refuse too.
enum ModelError: Error {
  case unknownObject
  case wrongObjectKind
  case outOfRange
  case noCounter
}
