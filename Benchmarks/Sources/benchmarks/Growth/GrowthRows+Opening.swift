import EasyReact

/// Cuts that open cycles, and links that make components grow, where what has to rise, or to go down, could be much.
func openingRows() -> [GrowthRow] {
  [
    // What falls out of the hub's component is a join, which does not wait: it goes down like a plain node.
    GrowthRow("n rules of a hub and a field, fed back into it, each cut from the hub", limit: 1.5) {
      size in
      let hub = MutableNode<Int>(), fields = emptyNodes(size)
      let rules = fields.map { hub.combine($0) }
      for rule in rules { hub.link(to: rule.map { $0.0 &+ $0.1 }) }
      return Grown(work: size, keep: (hub, fields, rules)) {
        for rule in rules { rule.wiring.removeUpstreamNode(hub) }
      }
    },
    GrowthRow("a bus with n rows, which a sender is linked to and cut from before each next row") {
      size in
      let bus = MutableNode<Int>.eventNode()
      let buttons = (0..<size).map { _ in MutableNode<Int>.eventNode().map { $0 } }
      let panels = emptyNodes(size), labels = panels.map { panel in panel.map { $0 } }
      return Grown(work: size, keep: (bus, buttons, panels, labels)) {
        for (panel, button) in zip(panels, buttons) {
          panel.link(to: bus)
          bus.link(to: button).cancel()
        }
      }
    },
    GrowthRow("n fields of a form that feed it back, all switched away from it by one set") {
      size in
      let isEditing = MutableNode(true), form = MutableNode<Int>(), nothing = Node<Int>()
      let fields = emptyNodes(size)
      for field in fields {
        field.link(to: isEditing.flattenMap { [weak form] in $0 ? form! : nothing })
        form.link(to: field)
      }
      return Grown(work: size, keep: (form, fields)) { isEditing.value = false }
    },
    // The join waits where the flatten leaves the form: it goes down all the same.
    GrowthRow("n fields of a form, each of which hears twice of the set that switches all away") {
      size in
      let isEditing = MutableNode(true), form = MutableNode<Int>(), nothing = Node<Int>()
      let fields = emptyNodes(size)
      for field in fields {
        let chosen = isEditing.flattenMap { [weak form] in $0 ? form! : nothing }
        field.link(to: chosen.combine(isEditing).map { $0.0 })
        form.link(to: field)
      }
      return Grown(work: size, keep: (form, fields)) { isEditing.value = false }
    },
    // What falls out still hangs together: it goes down as well.
    GrowthRow("n synced pairs, each in a ring with a hub, cut where it leaves the hub", limit: 1.5)
    {
      size in
      let hub = MutableNode<Int>(), first = emptyNodes(size), second = emptyNodes(size)
      let links = (0..<size).map { index in
        second[index].sync(with: first[index])
        let link = first[index].link(to: hub)
        hub.link(to: second[index])
        return link
      }
      return Grown(work: size, keep: [[hub], first, second]) { for link in links { link.cancel() } }
    },
    // By their old ranks all of one chain come before all of the other: each is to be looked at once, not once for each rung.
    GrowthRow("one cut, behind which two chains of n take turns", limit: 1.5) { size in
      let (chains, link) = chainsInOneOrder(size) { $0.map { $0 } }
      return Grown(work: size, keep: chains) { link.cancel() }
    },
    GrowthRow("one cut, behind which two chains of n are no longer in one order", limit: 1.5) {
      size in
      let (chains, link) = chainsInOneOrder(size) { $0 }
      return Grown(work: size, keep: chains) { link.cancel() }
    },
    // The editor's top is the lower one, and it has few edges, and a partner.
    GrowthRow(
      "n rows that follow one another, each synced with an editor that is synced", limit: 1.5
    ) { size in
      let rows = emptyNodes(size), editors = emptyNodes(size), partners = emptyNodes(size)
      for index in 1..<size { rows[index].link(to: rows[index - 1]) }
      for index in 0..<size { editors[index].sync(with: partners[index]) }
      return Grown(work: size, keep: [rows, editors, partners]) {
        for index in 0..<size { editors[index].sync(with: rows[index]) }
      }
    },
    GrowthRow(
      "n running totals, each synced with an editor that is synced, from the last on", limit: 1.5
    ) { size in
      let rows = emptyNodes(size), fields = emptyNodes(size)
      let editors = emptyNodes(size), partners = emptyNodes(size)
      for index in 1..<size {
        rows[index].link(to: rows[index - 1].combine(fields[index]).map { $0.0 })
      }
      for index in 0..<size { editors[index].sync(with: partners[index]) }
      return Grown(work: size, keep: [rows, fields, editors, partners]) {
        for index in (0..<size).reversed() { editors[index].sync(with: rows[index]) }
      }
    },
    // The form, with its n edges, is low enough; the total has n maps.
    GrowthRow("n fields of a form, each with an editor that a total of n labels follows, cut") {
      size in
      let form = MutableNode<Int>(), fields = emptyNodes(size), editors = emptyNodes(size)
      let total = Node.combine(editors).map { $0.count },
        labels = (0..<size).map { _ in total.map { $0 } }
      let links = (0..<size).map { index in
        fields[index].sync(with: form)
        let link = fields[index].link(to: editors[index])
        editors[index].link(to: fields[index])
        return link
      }
      return Grown(work: size, keep: (form, fields, editors, labels)) {
        for link in links { link.cancel() }
      }
    },
    // One start is little to lower, the other little to raise.
    GrowthRow("n rows that one set each takes from a form, and whose suggestion falls out too") {
      size in
      let form = MutableNode<Int>(), nothing = Node<Int>(), others = emptyNodes(size)
      let labels = (0..<size).map { _ in form.map { $0 } }
      for other in others { other.sync(with: form) }
      let total = Node.combine(others).map { $0.count }
      form.link(to: total)
      let drafts = emptyNodes(size), rows = emptyNodes(size), suggestions = emptyNodes(size)
      let modes = (0..<size).map { _ in MutableNode(true) }
      for index in 0..<size {
        drafts[index].link(to: form)
        let draft = drafts[index]
        rows[index].link(to: modes[index].flattenMap { $0 ? draft : nothing })
        drafts[index].link(to: suggestions[index])
        suggestions[index].link(to: rows[index].combine(total).map { $0.0 &+ $0.1 })
        form.link(to: rows[index])
      }
      return Grown(work: size, keep: (labels, others, drafts, rows, suggestions, modes)) {
        for mode in modes { mode.value = false }
      }
    },
    // Each is a component: their tops leave room.
    GrowthRow("n rows, each synced with an editor, the newest in front", limit: 1.5) { size in
      let rows = emptyNodes(size), editors = emptyNodes(size)
      return Grown(work: size, keep: [rows, editors]) {
        for index in rows.indices {
          rows[index].sync(with: editors[index])
          if index > 0 { rows[index - 1].link(to: rows[index].map { $0 }) }
        }
      }
    },
    // Their tops are level, and their ranks in no order.
    GrowthRow(
      "n synced pairs, each below the three before it, of which one link raises the first",
      limit: 1.5
    ) { size in
      let pairs = emptyNodes(size), partners = emptyNodes(size), high = MutableNode<Int>()
      let end = (0..<8).reduce(high as Node<Int>) { node, _ in node.map { $0 } }
      for index in 0..<size { pairs[index].sync(with: partners[index]) }
      for index in 0..<size {
        for before in max(0, index - 3)..<index { pairs[index].link(to: partners[before]) }
      }
      return Grown(work: size, keep: (pairs, partners, high)) { pairs[0].link(to: end) }
    },
    // Each closes a small ring beside all that the total leads to.
    GrowthRow("n editors that a total of n labels follows, each synced with a field", limit: 1.5) {
      size in
      let form = MutableNode<Int>(), total = MutableNode<Int>()
      let labels = (0..<size).map { _ in total.map { $0 } }
      let editors = emptyNodes(size), fields = emptyNodes(size)
      return Grown(work: size, keep: (form, labels, editors, fields)) {
        for index in 0..<size {
          total.link(to: editors[index])
          fields[index].sync(with: form)
          fields[index].sync(with: editors[index])
        }
      }
    },
    // The side of the hub has fewer members, and all its downstreams.
    GrowthRow(
      "a hub of n maps with a partner, synced with three others and let go of, n times", limit: 1.5
    ) { size in
      let hub = MutableNode<Int>(), partner = MutableNode<Int>(), others = emptyNodes(3)
      let maps = (0..<size).map { _ in hub.map { $0 } }
      hub.sync(with: partner)
      for other in others.dropFirst() { others[0].sync(with: other) }
      return Grown(work: size, keep: (maps, partner, others)) {
        for _ in 0..<size { hub.sync(with: others[0]).cancel() }
      }
    },
  ]
}

/// Two chains of which the second follows the first by one link; each rung leads from the first to the second, and back to the next node of the
/// first. So without that link they take turns.
private func chainsInOneOrder(_ size: Int, _ rung: (MutableNode<Int>) -> Node<Int>)
  -> (chains: [[MutableNode<Int>]], link: any Cancelable)
{
  let first = emptyNodes(size), second = emptyNodes(size)
  for index in 1..<size {
    first[index].link(to: first[index - 1])
    second[index].link(to: second[index - 1])
  }
  let link = second[0].link(to: first[size - 1])
  for index in 0..<size {
    second[index].link(to: rung(first[index]))
    if index + 1 < size { first[index + 1].link(to: second[index]) }
  }
  return ([first, second], link)
}
