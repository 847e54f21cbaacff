#!/usr/bin/env python3
"""Writes the tables of benchmarks in the README and in Performance.md from one run, so that no figure is copied by hand.

    Benchmarks/.build/release/benchmarks run --filter budget/ --filter contended/ --filter asynchronous --filter applications --filter churn/link \\
        --json run.json --svg Documentation/Pictures/benchmarks.svg
    Scripts/measure-debug.sh --json debug.json
    Scripts/update-tables.py run.json debug.json

A table stands between `<!-- table NAME -->` and `<!-- end -->`; what is round it is not touched. A ratio is the median of the
ratios of neighbouring rounds. The peer is the fastest one of those that do the same.
"""

import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README, PAGE = ROOT / "README.md", ROOT / "Sources/EasyReact/EasyReact.docc/Performance.md"
SHOWN = """set, 1 listener
event, 1 listener
update, 1 listener
batch of 4, a listener each
chain of 10 maps
chain of 100 maps
1,000 listeners on one node
combine of 2
combine of 8
combine of an array of 1000, one changes
diamond, 10 wide
derived of 2
zip of 2, a pair
zip of 3, a triple
merge of 8
filter, half pass
distinctUntilChanged
scan
flattenMap, switch the inner node
mergeMap, an inner node's value
mergeMap, a new inner node
chain of 10 maps, String
build and drop: source, 10 maps, listener
one value over a queue hop
two threads on one source, a set
combine of 2, heard by a task
sheet of 1,000 × 5: an edit
form of 50: an edit""".split("\n")


class Row:
    def __init__(self, row):
        self.group, self.name = row["group"], row["name"]
        self.by = {one["who"]: one for one in row["measurements"]}
        self.ours = self.by["ours"]
        peers = [who for who in self.by if who not in ("ours", "floor")]
        self.peer = min(peers, key=lambda who: self.by[who]["median"], default=None)

    def ratios(self, who):
        if who not in self.by:
            return None
        return [a / b for a, b in zip(self.ours["samples"], self.by[who]["samples"])]

    def ratio(self, who):
        return written(self.ratios(who))

    def spread(self):
        ratios = self.ratios(self.peer or "floor")
        if not ratios or len(ratios) < 4:
            return "–"
        low, middle, high = statistics.quantiles(ratios, n=4)
        return f"{(high - low) / middle * 100:.0f} %"


def written(ratios):
    if not ratios:
        return "–"
    middle = statistics.median(ratios)
    return f"{middle:.2f}" if middle >= 0.01 else "under 0.01"


def nanoseconds(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    # The first of a name: some rows stand again beside another floor. Bytes, and what takes seconds, are no rows of a table of times.
    rows = {}
    for row in map(Row, run["rows"]):
        if not row.name.startswith(("heap bytes", "depth:")):
            rows.setdefault(row.name, row)
    return rows, run["date"][:10]


def readme(rows):
    missing = [name for name in SHOWN if name not in rows]
    if missing:
        sys.exit(f"the run has no row {missing}: were all groups measured?")
    yield "| one operation | ns | the fastest peer | to it | to the floor |"
    yield "|---|--:|---|--:|--:|"
    for name in SHOWN:
        row = rows[name]
        yield (f"| {name} | {nanoseconds(row.ours['median'])} | {row.peer or '–'} | {row.ratio(row.peer)} | {row.ratio('floor')} |")


def page(rows, debug):
    yield "| one operation | ns | the fastest peer | to it | spread | to the floor | allocations | debug, to OpenCombine's |"
    yield "|---|--:|---|--:|--:|--:|--:|--:|"
    for row in rows.values():
        allocations = f"{row.ours['allocations']:.2g}" if row.ours["allocations"] >= 0.005 else "0"
        slow = debug.get(row.name)
        yield (f"| {row.name} | {nanoseconds(row.ours['median'])} | {row.peer or '–'} | {row.ratio(row.peer)} | {row.spread()}"
               f" | {row.ratio('floor')} | {allocations} | {slow.ratio('OpenCombine') if slow else '–'} |")


def costs(rows):
    """What things cost more, in sets."""
    one = rows["set, 1 listener"].ours["median"]

    def of(name):
        return rows[name].ours["median"]

    def line(what, *values):
        return f"| {what} | {'; '.join(f'{value / one:.1f}' for value in values)} |"
    yield "| | in sets |"
    yield "|---|--:|"
    yield line("one more `map`, in a chain of 100", (of("chain of 100 maps") - of("chain of 10 maps")) / 90)
    yield line("one more listener", (of("1,000 listeners on one node") - one) / 999)
    yield line("one more `link`", (of("chain of 10 links") - one) / 10)
    yield line("a set over a sync", of("sync"))
    yield line("an event; an update", of("event, 1 listener"), of("update, 1 listener"))
    yield line("a set in a batch of 4, its part of it", of("batch of 4, a listener each") / 4)
    yield line("a set that a `combine` of 2 follows; of 8; a `derived` of 2", of("combine of 2"), of("combine of 8"), of("derived of 2"))
    yield line("a diamond of 10 ways and a join by array (one allocation: the array)", of("diamond, 10 wide"))
    yield line("two sets that a `zip` makes a pair of", of("zip of 2, a pair"))
    yield line("a switch of `flattenMap` to another node", of("flattenMap, switch the inner node"))
    yield line("a set with a context (one allocation)", of("set with a context, 1 listener"))
    yield line("a set that a listener of an owner hears: the weak reference", of("set, 1 listener of an owner"))
    yield line("one more `map` of a `String` in a chain: each node keeps the value, under a lock",
               (of("chain of 10 maps, String") - of("set, 1 listener, String")) / 10)
    yield line("a value over `deliver(on:)` a queue, in a stream of them", of("one value over a queue hop"))
    yield line("a node's life: made with its listener or `map`, and freed", of("build and drop: source, 10 maps, listener") / 12)
    yield line("`link` and cut between nodes that exist", of("link and cut"))


def write(path, name, lines, date):
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- table {name} -->", "<!-- end -->"
    if begin not in text:
        sys.exit(f"{path}: there is no line {begin}")
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    path.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n\nMeasured on {date}.\n{end}{after}", encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows, date = rows_of(sys.argv[1])
    debug, _ = rows_of(sys.argv[2])
    write(README, "benchmarks", readme(rows), date)
    write(PAGE, "benchmarks", page(rows, debug), date)
    write(PAGE, "costs", costs(rows), date)
    ahead = [row.name for row in rows.values() if row.peer and statistics.median(row.ratios(row.peer)) > 1]
    print(f"{len(rows)} rows; a peer is ahead in: {', '.join(ahead) or 'none'}")
    late = [row.name for row in debug.values() if row.ratios("OpenCombine") and statistics.median(row.ratios("OpenCombine")) > 1]
    print(f"debug: {sum(bool(row.ratios('OpenCombine')) for row in debug.values())} rows; OpenCombine is ahead in: {', '.join(late) or 'none'}")


if __name__ == "__main__":
    main()
