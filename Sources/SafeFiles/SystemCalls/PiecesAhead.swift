#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pieces that are made on a thread of their own while those before are used.
///
/// They come in order, one is made at a time, and only a few wait. Where the system gives no thread,
/// whoever uses the pieces makes them.
package final class PiecesAhead<Piece: Sendable, Failure: Error>: Sendable {
  private struct Content {
    var pieces: [Piece] = []
    var failure: Failure?
    var isMaking = false
    var isEnded = false
  }

  /// How many pieces wait at most.
  private static var limit: Int { 4 }

  private let monitor = Monitor()
  // SAFETY: used by whoever has entered the monitor.
  private nonisolated(unsafe) var content = Content()
  // SAFETY: called by one thread at a time, as `isMaking` tells them, each after the one before.
  private nonisolated(unsafe) let make: () throws(Failure) -> Piece?

  /// Creates a stream of pieces; nothing is made yet.
  ///
  /// - Parameter make: returns the next piece, nil behind the last. It is called by one thread at a time.
  package init(_ make: @escaping () throws(Failure) -> Piece?) {
    // SAFETY: nobody else has a reference yet.
    unsafe self.make = make
  }

  /// Calls `body` on this thread while another one makes pieces, if there may be two; when this returns,
  /// nobody makes any more.
  package func whileMaking<Result, BodyFailure: Error>(
    threads: Int, _ body: () throws(BodyFailure) -> Result
  ) throws(BodyFailure) -> Result {
    let caller = pthread_self()
    var outcome: Swift.Result<Result, BodyFailure>?
    withoutActuallyEscaping(body) { body in
      // SAFETY: both are used by the calling thread alone, which goes on when all calls are done.
      nonisolated(unsafe) let body = body
      unsafe withUnsafeMutablePointer(to: &outcome) { place in
        // SAFETY: as above.
        nonisolated(unsafe) let place = unsafe place
        WorkerThreads.perform(upTo: min(2, threads)) {
          guard pthread_equal(pthread_self(), caller) != 0 else { return self.makeAll() }
          do throws(BodyFailure) {
            unsafe place.pointee = .success(try body())
          } catch {
            unsafe place.pointee = .failure(error)
          }
          self.end()
        }
      }
    }
    guard let outcome else { preconditionFailure("the calling thread has work in every case") }
    return try outcome.get()
  }

  /// Returns the next piece, nil behind the last.
  package func next() throws(Failure) -> Piece? {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    while true {
      if unsafe !content.pieces.isEmpty {
        defer { monitor.tell() }
        return unsafe content.pieces.removeFirst()
      }
      if let failure = unsafe content.failure { throw failure }
      if unsafe content.isEnded { return nil }
      if unsafe content.isMaking { monitor.wait() } else { makeOne() }
    }
  }

  private func makeAll() {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    while unsafe !content.isEnded, unsafe content.failure == nil {
      if unsafe content.isMaking || content.pieces.count >= Self.limit {
        monitor.wait()
      } else {
        makeOne()
      }
    }
  }

  /// Makes one piece outside of the monitor, which the caller has entered.
  private func makeOne() {
    // SAFETY: the content is used inside the monitor, and while one piece is made nobody makes another.
    unsafe content.isMaking = true
    monitor.leave()
    let made: Swift.Result<Piece?, Failure>
    do throws(Failure) { made = .success(try unsafe make()) } catch { made = .failure(error) }
    monitor.enter()
    unsafe content.isMaking = false
    switch made {
    case .success(let piece?): unsafe content.pieces.append(piece)
    case .success(nil): unsafe content.isEnded = true
    case .failure(let failure): unsafe content.failure = failure
    }
    monitor.tell()
  }

  /// Lets nobody make more, and waits for who does.
  private func end() {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    unsafe content.isEnded = true
    monitor.tell()
    while unsafe content.isMaking { monitor.wait() }
  }
}

/// What one thread at a time is in, and where threads wait for what others do there.
@safe private final class Monitor: Sendable {
  // SAFETY: they live as long as this object, and are used by functions that are meant for threads.
  private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(
    capacity: 1)
  // SAFETY: as above.
  private nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(
    capacity: 1)

  init() {
    // SAFETY: both were allocated and are not in use yet.
    unsafe pthread_mutex_init(mutex, nil)
    // SAFETY: as above.
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    // SAFETY: nobody has a reference any more.
    unsafe pthread_cond_destroy(condition)
    // SAFETY: as above.
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  // SAFETY: of all of them, the pointers are valid as long as this object.
  func enter() { unsafe pthread_mutex_lock(mutex) }
  func leave() { unsafe pthread_mutex_unlock(mutex) }
  /// Waits until somebody tells of a change; returns inside, as it was called.
  func wait() { unsafe pthread_cond_wait(condition, mutex) }
  func tell() { unsafe pthread_cond_broadcast(condition) }
}
