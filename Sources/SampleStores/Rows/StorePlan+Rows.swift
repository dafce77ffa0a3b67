extension StorePlan {
  /// The rows of the app.
  var rows: any SampleRows {
    switch app.name {
    case SampleApp.ritualist.name where version.name == "plan": PlannedRitualistRows(self)
    case SampleApp.ritualist.name: RitualistRows(self)
    case SampleApp.laundryTime.name: LaundryTimeRows(self)
    default: LibraryRows(self)
    }
  }
}
