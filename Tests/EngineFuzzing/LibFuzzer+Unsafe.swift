#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The few functions of libFuzzer's C interface that are used.
enum LibFuzzer {
  /// Runs the fuzzer with the arguments of the process and returns its exit status.
  static func run() -> CInt {
    var count = CommandLine.argc
    // SAFETY: the arguments of the process live as long as it does.
    var arguments = unsafe CommandLine.unsafeArgv
    // SAFETY: both pointers are to variables of this frame, which the call does not outlive.
    return unsafe runDriver(&count, &arguments) { start, count in
      // SAFETY: libFuzzer passes a readable buffer of this length.
      FuzzTarget.chosen?.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
      return 0
    }
  }

  /// Returns bytes as libFuzzer's own mutations change them, which know what the engine compares
  /// its input with.
  static func mutated(_ bytes: [UInt8], maxCount: Int) -> [UInt8] {
    let capacity = max(maxCount, bytes.count)
    guard capacity > 0 else { return bytes }
    // SAFETY: the buffer has `capacity` bytes, of which libFuzzer fills as many as it returns.
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      unsafe start.initialize(repeating: 0, count: capacity)
      for (index, byte) in bytes.enumerated() { unsafe start[index] = byte }
      count = unsafe mutate(start, bytes.count, capacity)
    }
  }
}

// SAFETY: declared as in libFuzzer's FuzzerInterface.h.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// SAFETY: as above.
@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maxCount: Int) -> Int

/// Called by libFuzzer for every new input: all that are run come from here or are seeds.
@_cdecl("LLVMFuzzerCustomMutator")
func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maxCount: Int, _ seed: CUnsignedInt
) -> Int {
  guard let target = FuzzTarget.chosen else { return count }
  // SAFETY: libFuzzer passes `count` readable bytes in a buffer of `maxCount` writable ones.
  let input = unsafe Array(UnsafeBufferPointer(start: data, count: count))
  let output = target.mutated(input, maxCount: maxCount, seed: UInt64(seed))
  for (index, byte) in output.prefix(maxCount).enumerated() { unsafe data[index] = byte }
  return min(output.count, maxCount)
}
