import EasyReact

/// The nodes where raw counters enter the graph: one for each file they are read from.
struct CounterSources: Sendable {
  let time = MutableNode<Duration>().named("time")
  let unixTime = MutableNode<UInt64>().named("unix time")
  let cores = MutableNode<[CoreTimes]>().named("core ticks")
  let load = MutableNode<LoadCounters?>().named("load averages")
  let memory = MutableNode<MemoryCounters?>().named("memory sizes")
  let pressures = MutableNode<[PressureCounters]>().named("stall times")
  let interfaces = MutableNode<[InterfaceCounters]>().named("interface counters")
  let disks = MutableNode<[DiskCounters]>().named("disk counters")
  let notes = MutableNode<[String]>().named("notes")

  /// Sets all of them in one batch, so that what joins several is computed once.
  ///
  /// What a sample lacks is set too, as missing: an old counter beside the new time would look like
  /// a rate of 0.
  func set(_ sample: Sample, notes: [String]) {
    batch {
      time.set(sample.time)
      unixTime.set(sample.unixMilliseconds)
      cores.set(sample.cores)
      load.set(sample.load)
      memory.set(sample.memory)
      pressures.set(sample.pressures)
      interfaces.set(sample.interfaces)
      disks.set(sample.disks)
      self.notes.set(notes)
    }
  }
}
