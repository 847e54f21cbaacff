#!/usr/bin/env python3
"""Counts the names that autocomplete shows after `node.` of a `Node<Int>`: check-names.py [--list]

Methods, properties and subscripts of `Node`, `AnyNode` and their protocols that are public, neither unavailable nor deprecated, and
there for `Int`; one for each base name. What comes with Hashable and CustomStringConvertible is not ours and not counted. Fails above
LIMIT (Documentation/Decisions/0011-names-on-node.md says why it is what it is), and where the table by task in
Sources/EasyReact/EasyReact.docc/Node.md leaves a name out, has one twice, or has one that is none.

EASYREACT_SCRATCH: the folder of the build, which must be there.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 91
OWNERS = {"AnyNode", "Node", "ReadableNode", "WiredNode", "NodeFactory"}
STANDARD = {"description", "hash", "hashValue"}
TABLE = Path("Sources/EasyReact/EasyReact.docc/Node.md")


def symbol_graph(build):
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)["target"]["triple"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["swift-symbolgraph-extract", "-module-name", "EasyReact", "-target", target, "-I", build / "Modules",
             "-Xcc", f"-fmodule-map-file={build}/CEasyReact.build/module.modulemap", "-Xcc", "-ISources/CEasyReact/include",
             "-minimum-access-level", "public", "-output-dir", folder], check=True)
        return json.loads((Path(folder) / "EasyReact.symbols.json").read_text())


def names(graph):
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    owners = {precise for precise, symbol in symbols.items() if ".".join(symbol["pathComponents"]) in OWNERS}
    members = {relation["source"] for relation in graph["relationships"]
               if relation["kind"] in ("memberOf", "requirementOf") and relation["target"] in owners}
    found = {symbols[precise]["names"]["title"].split("(")[0] for precise in members if is_shown(symbols[precise])}
    return found - STANDARD


def is_shown(symbol):
    if symbol["kind"]["identifier"] not in ("swift.method", "swift.property", "swift.subscript"):
        return False
    if any(entry.get("isUnconditionallyUnavailable") or entry.get("isUnconditionallyDeprecated")
           for entry in symbol.get("availability", [])):
        return False
    constraints = symbol.get("swiftExtension", {}).get("constraints", []) + symbol.get("swiftGenerics", {}).get("constraints", [])
    # An Int is no other type, and no object.
    return not any(constraint["lhs"] == "Value" and constraint["kind"] in ("sameType", "superclass") for constraint in constraints)


def tabled():
    rows = [line for line in TABLE.read_text().split("\n") if line.startswith("| ")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[2])]


def main():
    os.chdir(Path(__file__).resolve().parent.parent)
    shown = names(symbol_graph(Path(os.environ.get("EASYREACT_SCRATCH", ".build-tests")) / "debug"))
    if "--list" in sys.argv:
        print("\n".join(sorted(shown)))
    listed = tabled()
    problems = [f"{name} is not in the table by task" for name in sorted(shown - set(listed))]
    problems += [f"{name} is in the table and not on a node" for name in sorted(set(listed) - shown)]
    problems += [f"{name} is in the table twice" for name in sorted(shown) if listed.count(name) > 1]
    for problem in problems:
        print(f"{TABLE}: {problem}")
    if len(shown) > LIMIT:
        problems.append("limit")
        print(f"more names on a node than {LIMIT}: make the new one a parameter of an old one, or put it behind a word as `wiring` is")
    print(f"{len(shown)} names on a node, {len(problems)} problems")
    sys.exit(bool(problems))


main()
