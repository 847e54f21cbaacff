extension AnyNode {
  /// The graph that this node is joined to, as Graphviz text: `dot -Tsvg`, `circo -Tpdf`.
  ///
  /// Nodes come in the order of the walk from here (``reachable``), under their names or else their
  /// types; the text of an unchanged graph is the same each time. Values are not shown; edges that
  /// lead back are dashed.
  /// - Parameter listeners: Draw the listeners too.
  public final func dot(listeners: Bool = false) -> String {
    let graph = snapshot(withValues: false)
    let labels = Labels(graph)
    var lines = [
      "digraph EasyReact {",
      "  rankdir=LR;",
      "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", color=\"#4a6fa5\", fontname=\"Helvetica\"];",
      "  edge [color=\"#8a8f98\", fontname=\"Helvetica\", fontsize=10];",
    ]
    for node in graph.nodes {
      let style = node.isMutable ? ", fillcolor=\"#fdf1d8\", color=\"#b07d1a\"" : ""
      lines.append("  \(labels[node.id]) [label=\(dotQuoted(title(node)))\(style)];")
      if listeners, node.listeners > 0 {
        lines.append(
          "  l\(labels[node.id]) [label=\"\(node.listeners) listening\", shape=ellipse, fillcolor=\"#ffffff\"];"
        )
        lines.append("  \(labels[node.id]) -> l\(labels[node.id]) [style=dashed];")
      }
    }
    for edge in graph.edges {
      let style = edge.isBackEdge ? ", style=dashed, constraint=false" : ""
      lines.append(
        "  \(labels[edge.from]) -> \(labels[edge.to]) [label=\(dotQuoted(edge.name))\(style)];")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The same for Markdown: a Mermaid flow chart.
  /// - Parameter listeners: Draw the listeners too.
  public final func mermaid(listeners: Bool = false) -> String {
    let graph = snapshot(withValues: false)
    let labels = Labels(graph)
    var lines = ["flowchart LR"]
    for node in graph.nodes {
      let text = mermaidEscaped(title(node))
      lines.append("  \(labels[node.id])" + (node.isMutable ? "([\"\(text)\"])" : "[\"\(text)\"]"))
      if listeners, node.listeners > 0 {
        lines.append("  l\(labels[node.id])((\"\(node.listeners) listening\"))")
        lines.append("  \(labels[node.id]) -.-> l\(labels[node.id])")
      }
    }
    for edge in graph.edges {
      let arrow = edge.isBackEdge ? "-.->" : "-->"
      lines.append(
        "  \(labels[edge.from]) \(arrow)|\"\(mermaidEscaped(edge.name))\"| \(labels[edge.to])")
    }
    return (lines + [""]).joined(separator: "\n")
  }
}

/// Short names, the same for the same graph however often it is built: by order of the walk.
private struct Labels {
  private var numbers: [UInt64: Int] = [:]
  init(_ graph: GraphSnapshot) {
    for (number, node) in graph.nodes.enumerated() { numbers[node.id] = number }
  }
  /// A node that appeared between two looks at a changing graph has its own number.
  subscript(_ id: UInt64) -> String { numbers[id].map { "n\($0)" } ?? "x\(id)" }
}

private func title(_ node: GraphSnapshot.Node) -> String { node.name ?? node.type }

/// A quoted string of the dot language: quotes and backslashes escaped, line breaks as `\n`.
///
/// By scalars: a quote with an accent is one character, and ends the string all the same.
package func dotQuoted(_ text: String) -> String {
  var result = "\""
  forEachLinePart(of: text) { scalar in
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\0": break
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// Text in quotes of Mermaid, as entities. A backtick in front would make it Markdown.
package func mermaidEscaped(_ text: String) -> String {
  var result = ""
  forEachLinePart(of: text) { scalar in
    switch scalar {
    case "\"": result += "#quot;"
    case "#": result += "#35;"
    case "`": result += "#96;"
    case "<": result += "#lt;"
    case ">": result += "#gt;"
    case "&": result += "#amp;"
    case "\n": result += "<br/>"
    case "\0": break
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// The scalars of a text, every kind of line break as one `\n`.
private func forEachLinePart(of text: String, _ body: (Unicode.Scalar) -> Void) {
  var isAfterReturn = false
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\r", "\u{85}", "\u{2028}", "\u{2029}": body("\n")
    case "\n": if !isAfterReturn { body("\n") }
    default: body(scalar)
    }
    isAfterReturn = scalar == "\r"
  }
}
