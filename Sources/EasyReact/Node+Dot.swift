extension AnyNode {
  /// The graph that this node is joined to, as Graphviz text: `dot -Tsvg`, `circo -Tpdf`.
  ///
  /// Named nodes come first by name; the text of an unchanged graph is the same each time. Values are not shown.
  /// - Parameter listeners: Draw the listeners too.
  public final func dot(listeners: Bool = false) -> String {
    let graph = snapshot()
    let labels = Labels(graph)
    var lines = [
      "digraph EasyReact {",
      "  rankdir=LR;",
      "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", color=\"#4a6fa5\", fontname=\"Helvetica\"];",
      "  edge [color=\"#8a8f98\", fontname=\"Helvetica\", fontsize=10];",
    ]
    for node in graph.nodes {
      let style = node.isMutable ? ", fillcolor=\"#fdf1d8\", color=\"#b07d1a\"" : ""
      lines.append("  \(labels[node.id]) [label=\(quoted(title(node)))\(style)];")
      if listeners, node.listeners > 0 {
        lines.append(
          "  l\(labels[node.id]) [label=\"\(node.listeners) listening\", shape=ellipse, fillcolor=\"#ffffff\"];")
        lines.append("  \(labels[node.id]) -> l\(labels[node.id]) [style=dashed];")
      }
    }
    for edge in graph.edges {
      lines.append("  \(labels[edge.from]) -> \(labels[edge.to]) [label=\(quoted(edge.name))];")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The same for Markdown: a Mermaid flow chart.
  public final func mermaid() -> String {
    let graph = snapshot()
    let labels = Labels(graph)
    var lines = ["flowchart LR"]
    for node in graph.nodes {
      let text = escaped(title(node))
      lines.append("  \(labels[node.id])" + (node.isMutable ? "([\"\(text)\"])" : "[\"\(text)\"]"))
    }
    for edge in graph.edges {
      lines.append("  \(labels[edge.from]) -->|\"\(escaped(edge.name))\"| \(labels[edge.to])")
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
private func quoted(_ text: String) -> String {
  var result = "\""
  for character in text {
    switch character {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n", "\r\n", "\r": result += "\\n"
    case "\0": continue
    default: result.append(character)
    }
  }
  return result + "\""
}

/// Text in quotes of Mermaid, as entities.
private func escaped(_ text: String) -> String {
  var result = ""
  for character in text {
    switch character {
    case "\"": result += "#quot;"
    case "#": result += "#35;"
    case "<": result += "#lt;"
    case ">": result += "#gt;"
    case "&": result += "#amp;"
    case "\n", "\r\n", "\r": result += "<br/>"
    default: result.append(character)
    }
  }
  return result
}
