import Foundation

/// The curves as a picture: nodes and nanoseconds an edge, both on logarithmic scales.
struct GrowthPlot {
  let curves: [GrowthCurve]

  private let width = 820.0, height = 460.0
  private let left = 60.0, right = 190.0, top = 20.0, bottom = 40.0
  private let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

  private var largest: Double { log10(Double(curves.flatMap(\.points).map(\.nodes).max() ?? 10)) }
  private var costliest: Double {
    log10(max(10, curves.flatMap(\.points).map(\.cost).max() ?? 10)).rounded(.up)
  }

  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(Int(height))" font-family="sans-serif" font-size="12">
    <rect width="100%" height="100%" fill="white"/>
    \(grid.joined(separator: "\n"))
    \(curves.indices.map(line).joined(separator: "\n"))
    <text x="\(x(largest / 2))" y="\(height - 6)">nodes</text>
    <text x="6" y="14">ns an edge (unreached, age: a set)</text>
    </svg>

    """
  }

  private func x(_ nodes: Double) -> Double {
    left + (nodes - 1) / (largest - 1) * (width - left - right)
  }
  private func y(_ cost: Double) -> Double {
    height - bottom - max(0, cost) / costliest * (height - top - bottom)
  }

  private var grid: [String] {
    let columns = (1...max(1, Int(largest))).map { power in
      """
      <line x1="\(x(Double(power)))" y1="\(top)" x2="\(x(Double(power)))" y2="\(height - bottom)" stroke="#ddd"/>
      <text x="\(x(Double(power)) - 12)" y="\(height - bottom + 16)">10<tspan dy="-4" font-size="9">\(power)</tspan></text>
      """
    }
    let rows = (0...Int(costliest)).map { power in
      """
      <line x1="\(left)" y1="\(y(Double(power)))" x2="\(width - right)" y2="\(y(Double(power)))" stroke="#ddd"/>
      <text x="\(left - 36)" y="\(y(Double(power)) + 4)">\(Int(pow(10, Double(power))))</text>
      """
    }
    return columns + rows
  }

  private func line(_ index: Int) -> String {
    let curve = curves[index]
    let shape = GrowthShape.allCases.firstIndex(of: curve.shape)!
    let style =
      "stroke=\"\(colours[shape])\" fill=\"none\" stroke-width=\"2\""
      + (curve.who == .floor ? " stroke-dasharray=\"4 4\"" : "")
    let points = curve.points.map { "\(x(log10(Double($0.nodes)))),\(y(log10(max(1, $0.cost))))" }
    let labelY = top + 14 + Double(index) * 18
    return """
      <polyline points="\(points.joined(separator: " "))" \(style)/>
      <line x1="\(width - right + 12)" y1="\(labelY - 4)" x2="\(width - right + 40)" y2="\(labelY - 4)" \(style)/>
      <text x="\(width - right + 46)" y="\(labelY)">\(curve.shape.rawValue), \(curve.who.rawValue)</text>
      """
  }
}
