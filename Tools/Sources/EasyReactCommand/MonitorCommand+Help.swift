import ArgumentParser
import MonitorKit

extension MonitorCommand {
  /// What `easyreact monitor --help` teaches beyond the list of options.
  ///
  /// Its lines are broken by hand, for the 80 columns that help has when it is not on a terminal.
  static let discussion = """
    Reads the raw counters of Linux below /proc (stat, meminfo, loadavg, net/dev,
    diskstats, pressure) at a steady interval. On a terminal the screen is redrawn
    in place; into a pipe goes a line a sample. Ctrl-C ends it cleanly, with exit
    code 0. On systems without /proc, recordings can be shown.

    WHAT IS SHOWN
      For each quantity: its level now, the moving average of \(MonitorGraph.window) samples, the
      peak, and its alarm, which judges the average. A bar is a share of 100 %, or
      of the peak. A rate needs two samples, so the first sample shows a dash.

      cpu busy       time in which the cores worked, mean of all of them
      busiest core   the same for the core that works hardest
      load per core  tasks that ran or waited to run in the last minute
      memory, swap   what a new program could not have
      pressure       time in which a task was held up for cpu, memory or io
      network        all interfaces but lo
      disk           whole disks: no partitions, loop or RAM disks, RAID or LVM

      A counter that wraps or is reset gives a rate of 0 for that sample. What
      vanishes drops out, what is new comes in with its second sample.

    THE GRAPH
      Everything shown is computed by a graph of nodes. The counters are its
      sources, set together in one batch a sample. Rates, averages and peaks follow
      from them. An alarm goes on at one level and off below a lower one, so it
      needs its own last state: a cycle in the graph. The health joins all alarms
      and is computed once a sample. Look at it:

      easyreact monitor --dot | dot -Tsvg > graph.svg
      easyreact monitor --mermaid

    EXAMPLES
      easyreact monitor                       a sample a second, until Ctrl-C
      easyreact monitor --interval 250ms --for 10s | tee log.txt
      easyreact monitor --record busy.csv     keep the raw samples as well
      easyreact monitor --replay busy.csv     the same again, in no time
      easyreact monitor --json | jq .cpuBusyPercent
      easyreact monitor --alarm cpuBusy=50:40 --alarm networkReceive=20e6
      easyreact monitor --proc /host/proc     the host, from inside a container
      easyreact monitor --share nats://host:4222   be one of a fleet

    ALARMS
      Each has a level at which it goes on and one below which it goes off, in
      percent, bytes a second, or tasks a core; these are used unless you set them:
    \(usualLimits)
    """

  /// The limits of all quantities, two on a line.
  private static var usualLimits: String {
    let cells = Quantity.allCases.map { quantity in
      let limits = quantity.usualLimits
      return "\(quantity.rawValue)=\(short(limits.raise)):\(short(limits.clear))"
    }
    return stride(from: 0, to: cells.count, by: 2).map { index in
      let first = cells[index]
      guard index + 1 < cells.count else { return "  " + first }
      return "  " + first + String(repeating: " ", count: 34 - first.count) + cells[index + 1]
    }.joined(separator: "\n")
  }

  /// `90`, `1.5` or `100e6`, as one would type it.
  private static func short(_ level: Double) -> String {
    if level >= 1e6 { return "\(Int(level / 1e6))e6" }
    return level == level.rounded() ? "\(Int(level))" : "\(level)"
  }
}
