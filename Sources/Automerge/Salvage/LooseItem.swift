/// What a column gives for one row when nothing is certain.
enum LooseItem<Value> {
  case value(Value)
  case null
  /// The column broke or ended before this row.
  case lost
}
