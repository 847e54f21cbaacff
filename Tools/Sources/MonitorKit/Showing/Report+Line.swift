extension Report {
  /// The sample as one line, its columns aligned with those of the lines before: for a pipe or a
  /// log.
  ///
  ///       12.0 s  good   cpu   34 %  busiest cpu1   56 %  load/core 0.06  memory 2.0 %  …
  var line: String {
    func level(_ quantity: Quantity, width: Int) -> String {
      quantity.text(reading(quantity)?.now).right(width)
    }
    let parts = [
      time.spoken.right(11),
      (health.isGood ? "good" : "ALARM").left(5),
      "cpu " + level(.cpuBusy, width: 5),
      "busiest " + (busiestCore?.name ?? "").left(5) + " " + level(.busiestCore, width: 5),
      "load/core " + level(.loadPerCore, width: 4),
      "memory " + level(.memoryUsed, width: 5),
      "stalls cpu " + level(.cpuPressure, width: 5) + " memory "
        + level(.memoryPressure, width: 5) + " io " + level(.ioPressure, width: 5),
      "net in " + level(.networkReceive, width: 9) + " out " + level(.networkSend, width: 9),
      "disk read " + level(.diskRead, width: 9) + " write " + level(.diskWrite, width: 9),
    ]
    let alarms = health.alarms.map(\.text).joined(separator: ", ")
    return (parts + (alarms.isEmpty ? [] : [alarms])).joined(separator: "  ")
  }
}
