#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pieces that other threads make while those before are used.
///
/// They come in order, and only a few wait. Where the system gives no thread, whoever uses the pieces
/// makes them.
package final class PiecesAhead<Piece: Sendable, Failure: Error>: Sendable {
  /// What became of a piece that was begun.
  private enum Place {
    case making
    case made(Piece)
    case failed(Failure)
    /// There is none of that number, nor behind it.
    case missing
  }

  private struct Content {
    /// Those that were begun and not used yet, in order.
    var places: [Place] = []
    /// The number of the first of them.
    var first = 0
    var makingCount = 0
    /// Whether somebody takes what a piece is made of.
    var isTaking = false
    /// Whether none is begun any more.
    var isEnded = false
  }

  /// How many are made at once.
  private let makerCount: Int
  /// How many are begun and not used at most.
  private var limit: Int { 2 * makerCount + 2 }

  private let monitor = Monitor()
  // SAFETY: used by whoever has entered the monitor.
  private nonisolated(unsafe) var content = Content()
  // SAFETY: is called by one thread at a time, each after the one before; what it returns may be called
  // by several at once unless there is one maker.
  private nonisolated(unsafe) let take: (_ number: Int) throws(Failure) -> Making?

  /// Makes a piece; nil behind the last.
  private typealias Making = () throws(Failure) -> Piece?

  /// Creates a stream of pieces that are made one after the other; nothing is made yet.
  ///
  /// - Parameter make: returns the next piece, nil behind the last. It is called by one thread at a time.
  package init(_ make: @escaping () throws(Failure) -> Piece?) {
    makerCount = 1
    // SAFETY: nobody else has a reference yet.
    unsafe take = { _ throws(Failure) in make }
  }

  /// Creates a stream of pieces of which several are made at once; nothing is made yet.
  ///
  /// - Parameter make: returns the piece of a number, nil from the one behind the last on.
  package init(
    makers: Int, _ make: @escaping @Sendable (_ number: Int) throws(Failure) -> Piece?
  ) {
    makerCount = max(1, makers)
    // SAFETY: nobody else has a reference yet.
    unsafe take = { number throws(Failure) in { () throws(Failure) in try make(number) } }
  }

  /// Creates a stream of pieces of which several are made at once, of what is taken in their order;
  /// nothing is taken yet.
  ///
  /// - Parameters:
  ///   - take: returns what the next piece is made of, nil behind the last. It is called by one thread
  ///     at a time.
  ///   - make: returns the piece.
  package init<Item: Sendable>(
    makers: Int, taking take: @escaping () throws(Failure) -> Item?,
    _ make: @escaping @Sendable (Item) throws(Failure) -> Piece
  ) {
    makerCount = max(1, makers)
    // SAFETY: nobody else has a reference yet.
    unsafe self.take = { _ throws(Failure) in
      guard let item = try take() else { return nil }
      return { () throws(Failure) in try make(item) }
    }
  }

  /// Calls `body` on this thread while others make pieces, if there may be more than this one; when this
  /// returns, nobody makes any more.
  package func whileMaking<Result, BodyFailure: Error>(
    threads: Int, _ body: () throws(BodyFailure) -> Result
  ) throws(BodyFailure) -> Result {
    let caller = pthread_self()
    var outcome: Swift.Result<Result, BodyFailure>?
    // The check that this makes at run time names its file: that is not to differ by where the clone is.
    #sourceLocation(file:"PiecesAhead",line:1)
    withoutActuallyEscaping(body) { body in
      // SAFETY: both are used by the calling thread alone, which goes on when all calls are done.
      nonisolated(unsafe) let body = body
      unsafe withUnsafeMutablePointer(to: &outcome) { place in
        // SAFETY: as above.
        nonisolated(unsafe) let place = unsafe place
        WorkerThreads.perform(upTo: threads > 1 ? makerCount + 1 : 1) {
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
    #sourceLocation()
    guard let outcome else { preconditionFailure("the calling thread has work in every case") }
    return try outcome.get()
  }

  /// Returns the next piece, nil behind the last.
  package func next() throws(Failure) -> Piece? {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    while true {
      switch unsafe content.places.first {
      case .made(let piece):
        unsafe content.places.removeFirst()
        unsafe content.first += 1
        monitor.tell()
        return piece
      case .failed(let failure): throw failure
      case .missing: return nil
      case .making: monitor.wait()
      case nil:
        if unsafe content.isEnded { return nil }
        makeOne()
      }
    }
  }

  private func makeAll() {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    while unsafe !content.isEnded {
      if unsafe content.isTaking || content.makingCount == makerCount
        || content.places.count >= limit
      {
        monitor.wait()
      } else {
        makeOne()
      }
    }
  }

  /// Makes one piece outside of the monitor, which the caller has entered.
  private func makeOne() {
    // SAFETY: the content is used inside the monitor, and nobody else takes.
    let number = unsafe content.first + content.places.count
    unsafe content.places.append(.making)
    unsafe content.makingCount += 1
    unsafe content.isTaking = true
    monitor.leave()
    var place = Place.missing
    do throws(Failure) {
      if let making = try unsafe take(number) {
        letOthersTake()
        if let piece = try making() { place = .made(piece) }
      }
    } catch {
      place = .failed(error)
    }
    monitor.enter()
    unsafe content.makingCount -= 1
    // Those before it may have been used meanwhile, and it waits for whoever uses it.
    unsafe content.places[number - content.first] = place
    if case .made = place {} else { unsafe content.isEnded = true }
    monitor.tell()
  }

  /// Ends the turn of the thread that takes. Who has taken nothing keeps it, for nothing comes behind.
  private func letOthersTake() {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    unsafe content.isTaking = false
    monitor.tell()
    monitor.leave()
  }

  /// Lets nobody make more, and waits for who does.
  private func end() {
    // SAFETY: the content is used inside the monitor.
    monitor.enter()
    defer { monitor.leave() }
    unsafe content.isEnded = true
    monitor.tell()
    while unsafe content.makingCount > 0 { monitor.wait() }
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
