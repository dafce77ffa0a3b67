/// What a coder asks for: a map, a list, or a value inside of either.
enum EncodingContainerType {
  case Key
  case Index
  case Value
}
