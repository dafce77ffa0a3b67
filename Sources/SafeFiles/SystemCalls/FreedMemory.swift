#if canImport(Glibc)
  import CLinux
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory that was freed and that the process still has, to be quick when it needs some again.
package enum FreedMemory {
  /// Gives it back to the system: what one part of a run took is not there on top of what the next one
  /// takes.
  package static func giveBack() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #elseif canImport(Darwin)
      // SAFETY: no zone stands for all of them, and there is no pointer into what was freed.
      _ = unsafe malloc_zone_pressure_relief(nil, 0)
    #endif
  }
}
