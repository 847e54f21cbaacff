// swift-format-ignore-file
// Made by EasyReact of a session of monitor. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@testable import MonitorKit

@Test func `the monitor tells of this machine's recording what it told`() throws {
  let monitor = MonitorGraph()
  let graph: AnyNode = monitor.report
  let samples = try Recording(path: Fixture.path("recorded.csv")).samples
  let sessionNodes = SessionNodes(graph)
  let told = SessionTold()
  let listenings = [
    try sessionNodes.only("busiest core %", Optional<Double>.self).listen { told.add("busiest core %", $0) },
    try sessionNodes.only("busiest disk %", Optional<Double>.self).listen { told.add("busiest disk %", $0) },
    try sessionNodes.only("cpu busy %", Optional<Double>.self).listen { told.add("cpu busy %", $0) },
    try sessionNodes.only("cpu pressure %", Optional<Double>.self).listen { told.add("cpu pressure %", $0) },
    try sessionNodes.only("disk read B/s", Optional<Double>.self).listen { told.add("disk read B/s", $0) },
    try sessionNodes.only("disk write B/s", Optional<Double>.self).listen { told.add("disk write B/s", $0) },
    try sessionNodes.only("io pressure %", Optional<Double>.self).listen { told.add("io pressure %", $0) },
    try sessionNodes.only("load per core", Optional<Double>.self).listen { told.add("load per core", $0) },
    try sessionNodes.only("memory pressure %", Optional<Double>.self).listen { told.add("memory pressure %", $0) },
    try sessionNodes.only("memory used %", Optional<Double>.self).listen { told.add("memory used %", $0) },
    try sessionNodes.only("network receive B/s", Optional<Double>.self).listen { told.add("network receive B/s", $0) },
    try sessionNodes.only("network send B/s", Optional<Double>.self).listen { told.add("network send B/s", $0) },
    try sessionNodes.only("swap used %", Optional<Double>.self).listen { told.add("swap used %", $0) },
    monitor.health.listen { told.add("health", $0) },
  ]
  monitor.feed(samples[0])
  monitor.feed(samples[1])
  monitor.feed(samples[2])
  monitor.feed(samples[3])
  monitor.feed(samples[4])
  monitor.feed(samples[5])
  monitor.feed(samples[6])
  monitor.feed(samples[7])
  monitor.feed(samples[8])
  monitor.feed(samples[9])
  monitor.feed(samples[10])
  monitor.feed(samples[11])
  monitor.feed(samples[12])
  monitor.feed(samples[13])
  monitor.feed(samples[14])
  monitor.feed(samples[15])
  monitor.feed(samples[16])
  monitor.feed(samples[17])
  monitor.feed(samples[18])
  monitor.feed(samples[19])
  monitor.feed(samples[20])
  monitor.feed(samples[21])
  monitor.feed(samples[22])
  monitor.feed(samples[23])
  monitor.feed(samples[24])
  monitor.feed(samples[25])
  monitor.feed(samples[26])
  monitor.feed(samples[27])
  monitor.feed(samples[28])
  monitor.feed(samples[29])
  monitor.feed(samples[30])
  monitor.feed(samples[31])
  monitor.feed(samples[32])
  monitor.feed(samples[33])
  monitor.feed(samples[34])
  monitor.feed(samples[35])
  monitor.feed(samples[36])
  monitor.feed(samples[37])
  monitor.feed(samples[38])
  monitor.feed(samples[39])
  monitor.feed(samples[40])
  #expect(told["busiest core %"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(1.0)", "Optional(1.0101010101010102)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(99.0)", "Optional(100.0)", "Optional(99.02912621359224)", "Optional(100.0)", "Optional(91.0)", "Optional(100.0)", "Optional(62.62626262626262)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(63.0)", "Optional(99.00990099009901)", "Optional(98.98989898989899)", "Optional(83.83838383838383)", "Optional(99.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)"])
  #expect(told["busiest disk %"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(1.6000016000016)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(1.1874251674764245)", "Optional(1.6130577020984873)", "Optional(6.816899092851178)", "Optional(2.3977700738313366)", "Optional(0.39936899698476414)", "Optional(0.8020315459057793)", "Optional(1.9999620007219865)", "Optional(0.0)", "Optional(0.7999576022470809)", "Optional(0.0)", "Optional(0.0)", "Optional(0.4000020000100001)", "Optional(0.0)", "Optional(0.0)", "Optional(0.3999880003599892)", "Optional(1.200064803499389)", "Optional(1.19692629327886)", "Optional(0.4010218035554593)", "Optional(1.5999680006399875)", "Optional(0.0)", "Optional(2.793293302780025)"])
  #expect(told["cpu busy %"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.5)", "Optional(1.0050505050505052)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(99.5)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(72.39583333333333)", "Optional(100.0)", "Optional(100.0)", "Optional(99.0)", "Optional(98.98989898989899)", "Optional(98.52446409689513)", "Optional(99.0)", "Optional(80.79411764705883)", "Optional(50.505050505050505)", "Optional(50.70088641517213)", "Optional(51.5)", "Optional(50.505050505050505)", "Optional(50.5)", "Optional(50.18686868686869)", "Optional(50.01000100010001)", "Optional(50.494949494949495)", "Optional(58.24572253143681)", "Optional(98.48989898989899)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)", "Optional(100.0)"])
  #expect(told["cpu pressure %"] == ["nil", "Optional(0.08358595755913006)", "Optional(0.06820088661152594)", "Optional(0.12810076860461164)", "Optional(0.20769418456283223)", "Optional(0.091000182000364)", "Optional(0.39814299944393994)", "Optional(0.708)", "Optional(0.6520941311528197)", "Optional(0.5341877136825852)", "Optional(3.946526288841243)", "Optional(21.244421244421247)", "Optional(46.07722254055778)", "Optional(78.84074276885575)", "Optional(90.47541903296163)", "Optional(80.5805379395583)", "Optional(88.20025220529631)", "Optional(99.99479998439995)", "Optional(99.73422732937064)", "Optional(14.96773948383174)", "Optional(60.32020898682946)", "Optional(79.6741623441761)", "Optional(39.19025263628535)", "Optional(3.8341342551427164)", "Optional(12.389225024461352)", "Optional(18.96594072786368)", "Optional(21.188097426148904)", "Optional(0.023800380806092897)", "Optional(0.7979577082414631)", "Optional(0.4012020060100301)", "Optional(0.0135999864000136)", "Optional(0.012600063000315001)", "Optional(0.2309025399279392)", "Optional(0.04010072181299264)", "Optional(0.0819975400737978)", "Optional(6.877471383454706)", "Optional(35.12799131829462)", "Optional(65.91565308405818)", "Optional(49.96440071198577)", "Optional(76.90326373772511)", "Optional(92.17698306366414)"])
  #expect(told["disk read B/s"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(3264515.2645152644)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(4129.4277173721275)", "Optional(0.0)", "Optional(4092.1942593388144)", "Optional(0.0)", "Optional(94447.23484586457)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(106223.2187741879)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)"])
  #expect(told["disk write B/s"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(340004.7205098151)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(14540814.540814541)", "Optional(1105927.7414941904)", "Optional(2876183.579649562)", "Optional(1015827.3007187137)", "Optional(2043826.3345992852)", "Optional(200708.21487251233)", "Optional(0.0)", "Optional(0.0)", "Optional(475143.6022976368)", "Optional(8689799.028290404)", "Optional(124204926.88311884)", "Optional(131681061.35108936)", "Optional(2815429.6504251044)", "Optional(257640.92733481101)", "Optional(2139435.1893345844)", "Optional(3895221.990782175)", "Optional(0.0)", "Optional(532451.780055657)", "Optional(0.0)", "Optional(0.0)", "Optional(2662413.3120665606)", "Optional(24576.27033897373)", "Optional(32768.58983461702)", "Optional(131068.06795796126)", "Optional(1507409.4001076058)", "Optional(4220330.192066773)", "Optional(275133.03898332955)", "Optional(5304213.915721686)", "Optional(831395.7150756266)", "Optional(3591760.183798699)"])
  #expect(told["io pressure %"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(1.1283011283011284)", "Optional(0.28990202931420517)", "Optional(0.8697621021112678)", "Optional(0.07730146872790583)", "Optional(0.28118931480603737)", "Optional(0.04580096182019823)", "Optional(0.0)", "Optional(0.0)", "Optional(0.02810044960719372)", "Optional(2.5846287812070177)", "Optional(2.9880885770310663)", "Optional(5.249513544075763)", "Optional(0.936828749263185)", "Optional(0.10892789392759442)", "Optional(0.6362115237897595)", "Optional(0.8939830143227279)", "Optional(0.0)", "Optional(0.02939844188258022)", "Optional(0.0)", "Optional(0.0)", "Optional(0.004100020500102501)", "Optional(0.027900306903375936)", "Optional(0.10550189903418261)", "Optional(0.15729528114156577)", "Optional(0.22021189144213785)", "Optional(1.2625577516936508)", "Optional(0.3366578040848081)", "Optional(1.382272354552909)", "Optional(0.1814798557360133)", "Optional(1.480744731898711)"])
  #expect(told["load per core"] == ["Optional(1.62)", "Optional(1.62)", "Optional(1.62)", "Optional(1.62)", "Optional(1.49)", "Optional(1.49)", "Optional(1.49)", "Optional(1.49)", "Optional(1.49)", "Optional(1.45)", "Optional(1.45)", "Optional(1.45)", "Optional(1.45)", "Optional(1.45)", "Optional(1.495)", "Optional(1.495)", "Optional(1.495)", "Optional(1.495)", "Optional(1.495)", "Optional(1.455)", "Optional(1.455)", "Optional(1.455)", "Optional(1.455)", "Optional(1.455)", "Optional(1.415)", "Optional(1.415)", "Optional(1.415)", "Optional(1.415)", "Optional(1.415)", "Optional(1.345)", "Optional(1.345)", "Optional(1.345)", "Optional(1.345)", "Optional(1.345)", "Optional(1.275)", "Optional(1.275)", "Optional(1.275)", "Optional(1.275)", "Optional(1.275)", "Optional(1.455)", "Optional(1.455)"])
  #expect(told["memory pressure %"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)"])
  #expect(told["memory used %"] == ["Optional(2.2995855631762985)", "Optional(2.26613893153893)", "Optional(2.26613893153893)", "Optional(2.2334701285442904)", "Optional(2.2334701285442904)", "Optional(2.204123302044636)", "Optional(2.1834946382489173)", "Optional(2.1597708646456604)", "Optional(2.1549904594455493)", "Optional(2.1549904594455493)", "Optional(2.159187493163617)", "Optional(2.124525504271979)", "Optional(2.1488974684108375)", "Optional(2.510506763463116)", "Optional(2.5589265964730323)", "Optional(2.4268091605527453)", "Optional(2.466121916537367)", "Optional(2.4886303328863546)", "Optional(2.5861019846784017)", "Optional(2.6588289627736073)", "Optional(2.8915941841104242)", "Optional(3.124181153049943)", "Optional(3.503842554518899)", "Optional(3.070673024335502)", "Optional(3.167901604676693)", "Optional(3.221085638123322)", "Optional(2.8244578493848316)", "Optional(2.891983098431783)", "Optional(2.875405625483607)", "Optional(2.939722331379313)", "Optional(2.9627979144469463)", "Optional(2.994413407821228)", "Optional(3.0380204261042487)", "Optional(3.0273090775033373)", "Optional(3.045701483951202)", "Optional(2.6811105124351253)", "Optional(2.8782252543135045)", "Optional(3.068501586041217)", "Optional(3.1725847812964614)", "Optional(3.191544354462994)", "Optional(3.5127551743835084)"])
  #expect(told["network receive B/s"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(3591.096246793127)", "Optional(589.9887902129859)", "Optional(590.0094401510424)", "Optional(589.9687316572221)", "Optional(590.0029500147501)", "Optional(41.99995800004201)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)"])
  #expect(told["network send B/s"] == ["nil", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(215453.74433439903)", "Optional(238459.46927008388)", "Optional(240951.8552296837)", "Optional(242177.16461027565)", "Optional(240949.20474602375)", "Optional(21155.978844021156)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)", "Optional(0.0)"])
  #expect(told["swap used %"] == ["nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil"])
  #expect(told["health"] == ["Health(alarms: [], measured: 2)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.9), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(63.443668705270944), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.9), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(76.83483489744596), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.9), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(87.61835038621439), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.9), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(91.79704729831737), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(94.37916666666666), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(76.69551138849138), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(94.47916666666666), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(72.64344559794561), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(94.47916666666666), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(100.0), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(70.93822762572158), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(94.27916666666667), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(99.8), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(58.77731815609866), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(94.07714646464646), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(99.8), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(39.59729954125307), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.30287261735882), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(99.60582524271845), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(39.081596649378994), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.10287261735883), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(99.60582524271845), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(30.81074299758584), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(95.26169614677059), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(97.80582524271844), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(85.5627062477807), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(98.00582524271844), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(75.90490373283532), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(90.53107776797097), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(90.72525252525253), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(90.72525252525251), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(92.52525252525251), isOn: true)], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(91.34712430426717), isOn: true)], measured: 12)", "Health(alarms: [MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuBusy, level: Optional(99.6979797979798), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.busiestCore, level: Optional(99.8), isOn: true), MonitorKit.Alarm(quantity: MonitorKit.Quantity.cpuPressure, level: Optional(64.01765838314556), isOn: true)], measured: 12)"])
  withExtendedLifetime(listenings) {}
}

/// What nodes told, as text, by their names.
private final class SessionTold: Sendable {
  private let lists = Mutex<[String: [String]]>([:])
  func add(_ name: String, _ value: some Sendable) {
    let text = String(describing: value)
    lists.withLock { $0[name, default: []].append(text) }
  }
  subscript(_ name: String) -> [String] { lists.withLock { $0[name] ?? [] } }
}

/// Nodes by name and type, among those that `graph` is joined to.
private final class SessionNodes {
  private struct Met { weak var node: AnyNode? }
  private let graph: AnyNode
  private var met: [String: Met] = [:]
  init(_ graph: AnyNode) { self.graph = graph }

  /// The only one of the session that has the name. All that a walk meets are noted.
  func only<Value: Sendable>(_ name: String, _ type: Value.Type) throws -> MutableNode<Value> {
    if let node = met[name]?.node as? MutableNode<Value>, node.name == name { return node }
    met = [:]
    for (node, _) in graph.reachable {
      if let name = node.name, met[name] == nil { met[name] = Met(node: node) }
    }
    return try #require(met[name]?.node as? MutableNode<Value>)
  }

  /// Of several that have the name, the first that is there now.
  func first<Value: Sendable>(_ name: String, _ type: Value.Type) throws -> MutableNode<Value> {
    try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
  }
}
