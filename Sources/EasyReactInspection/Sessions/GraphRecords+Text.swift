import EasyReact

extension GraphRecords {
  /// The living graph as Graphviz text: `dot -Tsvg`. Nodes under their labels, edges under their operators; those that
  /// lead back are dashed.
  public func dot() -> String {
    var lines = [
      "digraph EasyReact {", "  rankdir=LR;",
      "  node [shape=box, style=\"rounded\", fontname=\"Helvetica\"];",
      "  edge [fontname=\"Helvetica\", fontsize=10];",
    ]
    for node in nodes where node.gone == nil {
      lines.append(
        "  n\(node.id) [label=\(dotQuoted(node.label))\(node.isMutable ? ", style=\"rounded,bold\"" : "")];"
      )
    }
    for edge in livingEdges {
      let style = edge.isBackEdge ? ", style=dashed, constraint=false" : ""
      lines.append(
        "  n\(edge.upstream) -> n\(edge.downstream!) [label=\(dotQuoted(edge.operation))\(style)];")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The same for Markdown: a Mermaid flow chart.
  public func mermaid() -> String {
    var lines = ["flowchart LR"]
    for node in nodes where node.gone == nil {
      let text = mermaidEscaped(node.label)
      lines.append("  n\(node.id)" + (node.isMutable ? "([\"\(text)\"])" : "[\"\(text)\"]"))
    }
    for edge in livingEdges {
      let arrow = edge.isBackEdge ? "-.->" : "-->"
      lines.append(
        "  n\(edge.upstream) \(arrow)|\"\(mermaidEscaped(edge.operation))\"| n\(edge.downstream!)")
    }
    return (lines + [""]).joined(separator: "\n")
  }

  /// Between two nodes that live.
  private var livingEdges: [EdgeRecord] {
    let living = Set(nodes.lazy.filter { $0.gone == nil }.map(\.id))
    return edges.filter { edge in
      edge.cut == nil && living.contains(edge.upstream)
        && edge.downstream.map { living.contains($0) } ?? false
    }
  }
}
