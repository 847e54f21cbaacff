#!/usr/bin/env python3
"""Compares the compiler's diagnostics (standard input, in LLVM's style) with those that a file of mistakes expects: check-mistakes.py FILE

    // from Combine: sink          begins a mistake
    // expected: TEXT              an error of the next line of code has this text, and tells what to write instead
    // compiler: TEXT              an error or note of it has this text, in the compiler's own words, which we cannot choose

Fails where an expected diagnostic is missing or tells no remedy, where an error was not expected, and where fewer than LEAST mistakes
are answered in our words. Tests/Compile/Mistakes.swift is the file, Scripts/check-compile.sh calls this.
"""
import re
import sys

LEAST = 30
REMEDY = re.compile(r"`[^`]+`|renamed to '|write \.")


def mistakes_of(lines):
    """Of each mistake its line, its title, and its expectations: (line of code, kind, text)."""
    mistakes, waiting = [], []
    for number, line in enumerate(lines, 1):
        comment = re.match(r"\s*// (from|expected|compiler)(?: ([\w ,]+))?: (.+)", line)
        if not comment:
            if waiting and not line.lstrip().startswith("//"):
                mistakes[-1][2].extend((number, kind, text) for kind, text in waiting)
                waiting = []
        elif comment[1] == "from":
            mistakes.append((number, f"{comment[2]}: {comment[3]}", []))
        else:
            waiting.append((comment[1], comment[3]))
    return mistakes


def diagnostics_of(output, file):
    """(line, is an error, text); those of other files have the line 0."""
    for match in re.finditer(r"^(.*?):(\d+):\d+: (error|note): (.*)$|^(.*error: .*)$", output, re.M):
        place = int(match[2]) if match[2] and match[1].endswith(file) else 0
        yield place, match[3] != "note", match[4] or match[5]


def main():
    file = sys.argv[1]
    mistakes = mistakes_of(open(file).read().split("\n"))
    found = list(diagnostics_of(sys.stdin.read(), file))
    problems, expected = [], []
    for number, title, expectations in mistakes:
        if not expectations:
            problems.append((number, f"“{title}” expects nothing"))
        expected += expectations
    for number, kind, text in expected:
        matching = [said for line, is_error, said in found if line == number and text in said and (is_error or kind == "compiler")]
        if not matching:
            problems.append((number, f"not said: {text}"))
        elif kind == "expected" and not REMEDY.search(matching[0]):
            problems.append((number, f"does not tell what to write instead: {matching[0]}"))
    for number, is_error, said in found:
        if is_error and not any(line == number and text in said for line, _, text in expected):
            problems.append((number, f"not expected: {said}"))
    ours = sum(any(kind == "expected" for _, kind, _ in expectations) for _, _, expectations in mistakes)
    if ours < LEAST:
        problems.append((1, f"at least {LEAST} mistakes are answered in our words, not {ours}"))
    for number, problem in sorted(problems):
        print(f"{file}:{number}: {problem}")
    print(f"{len(mistakes)} mistakes, {ours} answered in our words, {len(problems)} problems")
    sys.exit(bool(problems))


main()
