/// What was being done when a system call failed, as messages say it.
package enum FileAction: String, Hashable, Sendable {
  case open
  case list
  case inspect
  case read
  case create
  case write
  case synchronize
  case rename
  case move
  case remove
  case lock
  case link
  case watch
  case setAttributes = "set the attributes of"
}
