import Synchronization
import Testing

@testable import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pieces that a thread of their own makes.
@Suite struct PiecesAheadTests {
  private struct Broken: Error, Equatable { var piece: Int }

  @Test(arguments: [1, 2, 8]) func `come in order, each once`(threads: Int) {
    var count = 0
    let pieces = PiecesAhead<Int, Never> {
      count += 1
      return count <= 1000 ? count : nil
    }
    var taken: [Int] = []
    pieces.whileMaking(threads: threads) {
      while let piece = pieces.next() { taken.append(piece) }
      #expect(pieces.next() == nil)
    }
    #expect(taken == Array(1...1000))
    #expect(count == 1001, "nobody asks again behind the last")
  }

  @Test(arguments: [1, 2]) func `an error comes behind the pieces before it`(threads: Int) {
    var count = 0
    let pieces = PiecesAhead<Int, Broken> { () throws(Broken) in
      count += 1
      if count > 3 { throw Broken(piece: count) }
      return count
    }
    var taken: [Int] = []
    let error = #expect(throws: Broken.self) {
      try pieces.whileMaking(threads: threads) { () throws(Broken) in
        while let piece = try pieces.next() { taken.append(piece) }
      }
    }
    #expect(taken == [1, 2, 3])
    #expect(error == Broken(piece: 4))
    #expect(count == 4, "nothing is made behind an error")
  }

  @Test(arguments: [1, 2]) func `whoever stops early is waited for, and nothing more is made`(
    threads: Int
  ) {
    let count = Mutex(0)
    let pieces = PiecesAhead<Int, Never> {
      count.withLock {
        $0 += 1
        return $0
      }
    }
    let first = pieces.whileMaking(threads: threads) { pieces.next() }
    #expect(first == 1)
    let made = count.withLock(\.self)
    #expect(made <= 6, "few pieces wait")
    #expect(pieces.next() == nil || made > 1)
    #expect(count.withLock(\.self) == made)
  }

  @Test(arguments: [1, 2]) func `an error of the user ends it`(threads: Int) {
    let pieces = PiecesAhead<Int, Never> { 1 }
    #expect(throws: Broken(piece: 7)) {
      try pieces.whileMaking(threads: threads) { () throws(Broken) in
        _ = pieces.next()
        throw Broken(piece: 7)
      }
    }
  }

  @Test(arguments: [1, 2, 4]) func `several at once come in order, each once`(makers: Int) {
    let made = Mutex<[Int]>([])
    let pieces = PiecesAhead<Int, Never>(makers: makers) { number in
      made.withLock { $0.append(number) }
      return number < 500 ? number : nil
    }
    var taken: [Int] = []
    pieces.whileMaking(threads: makers) {
      while let piece = pieces.next() { taken.append(piece) }
    }
    #expect(taken == Array(0..<500))
    let numbers = made.withLock(\.self)
    #expect(Set(numbers).count == numbers.count, "each is made once")
  }

  @Test func `several are made at the same time`() {
    let began = Mutex(0)
    // Each of two waits until the other has begun.
    let ahead = PiecesAhead<Int, Never>(makers: 2) { number in
      guard number < 2 else { return nil }
      began.withLock { $0 += 1 }
      while began.withLock(\.self) < 2 { sched_yield() }
      return number
    }
    let taken = ahead.whileMaking(threads: 2) { [ahead.next(), ahead.next(), ahead.next()] }
    #expect(taken == [0, 1, nil])
  }

  @Test(arguments: [1, 3]) func `of several the error comes behind the pieces before it`(
    makers: Int
  ) {
    let pieces = PiecesAhead<Int, Broken>(makers: makers) { number throws(Broken) in
      if number == 20 { throw Broken(piece: number) }
      return number
    }
    var taken: [Int] = []
    let error = #expect(throws: Broken.self) {
      try pieces.whileMaking(threads: makers) { () throws(Broken) in
        while let piece = try pieces.next() { taken.append(piece) }
      }
    }
    #expect(taken == Array(0..<20))
    #expect(error == Broken(piece: 20))
  }

  @Test(arguments: [1, 2, 4])
  func `what they are made of is taken in order, by one at a time, until there is none`(
    makers: Int
  ) {
    let taking = Mutex((count: 0, isBusy: false))
    let pieces = PiecesAhead<Int, Never>(
      makers: makers,
      taking: {
        let number = taking.withLock {
          #expect(!$0.isBusy)
          $0.isBusy = true
          $0.count += 1
          return $0.count
        }
        sched_yield()
        taking.withLock { $0.isBusy = false }
        return number <= 500 ? number : nil
      },
      { item in -item })
    var taken: [Int] = []
    pieces.whileMaking(threads: makers) {
      while let piece = pieces.next() { taken.append(piece) }
    }
    #expect(taken == (1...500).map { -$0 })
    #expect(taking.withLock(\.count) == 501, "nobody asks again behind the last")
  }

  @Test func `while some are made the next are taken`() {
    let began = Mutex(0)
    let ahead = PiecesAhead<Int, Never>(makers: 2, taking: { 7 }) { item in
      began.withLock { $0 += 1 }
      while began.withLock(\.self) < 2 { sched_yield() }
      return item
    }
    #expect(ahead.whileMaking(threads: 2) { [ahead.next(), ahead.next()] } == [7, 7])
  }

  @Test(arguments: [1, 3], [true, false])
  func `an error of taking or making comes behind the pieces before it`(
    makers: Int, isOfTaking: Bool
  ) {
    var count = 0
    let pieces = PiecesAhead<Int, Broken>(
      makers: makers,
      taking: { () throws(Broken) in
        count += 1
        if count == 20, isOfTaking { throw Broken(piece: count) }
        return count
      },
      { item throws(Broken) in
        if item == 20 { throw Broken(piece: item) }
        return item
      })
    var taken: [Int] = []
    let error = #expect(throws: Broken.self) {
      try pieces.whileMaking(threads: makers) { () throws(Broken) in
        while let piece = try pieces.next() { taken.append(piece) }
      }
    }
    #expect(taken == Array(1..<20))
    #expect(error == Broken(piece: 20))
    if isOfTaking { #expect(count == 20, "nothing is taken behind an error") }
  }
}
