#!/usr/bin/env python3
"""Type-checks every code block of the documents: check-documents.py [FILE...]

Code blocks are the ```swift blocks of the Markdown files and the indented examples in the documentation of what is public. Each is a
function of its own, beside the declarations of Tests/Compile/Documents/Prelude.swift, whose names (`node`, `price`, `queue`, ...) it
may use. None may take the compiler long. What needs more says so: in Markdown by a comment before the block, in Tests/Compile/Documents/examples.txt for documentation.

    <!-- compile: after -->               goes on where the block before it ended
    <!-- compile: let x = 1 -->           these lines stand before it
    <!-- compile: import One, Another --> for the whole document
    <!-- compile: skip, REASON -->        is not compiled

EASYREACT_SCRATCH: the folder of the build, which must be there. What needs a trait is read where the build has it, and left out elsewhere. Prints FILE:LINE of what does not compile.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HOISTED = re.compile(r"(@\w+\s+)*(public |final |indirect )*(extension|func|class|struct|enum|actor|protocol|import)\b|@(Test|Suite)\b")


# Milliseconds that one expression may take to type-check; README, "Long chains".
SLOW = 500

# What a product is built with behind a trait: without it there is nothing to be compiled.
TRAITS = {"EasyReactCombine": "OpenCombine", "EasyReactInspector": "FlyingSocks"}


class Snippet:
    """Lines of code with the places that they come from, and what stands before them."""

    def __init__(self, file, line, code, prelude="", continues=False):
        self.file, self.line, self.code = file, line, code
        self.prelude, self.continues = prelude, continues


# MARK: Markdown

def snippets_of_markdown(path):
    found, lines = [], path.read_text().split("\n")
    directive, number = "", 0
    while number < len(lines):
        line = lines[number]
        comment = re.match(r"\s*<!-- compile:\s*(.*?)(-->)?\s*$", line)
        if comment:
            directive = comment[1]
            while "-->" not in lines[number]:
                number += 1
                directive += "\n" + lines[number].replace("-->", "")
            directive = directive.strip()
        elif opening := re.match(r"(\s*)```swift\s*$", line):
            start, indent = number + 1, len(opening[1])
            number = start
            while not lines[number].strip().startswith("```"):
                number += 1
            code = [text[indent:] for text in lines[start:number]]
            if re.match(r"skip\b", directive):
                if not re.match(r"skip, \S.{9}", directive):
                    sys.exit(f"{path}:{start}: say why the block is not compiled: <!-- compile: skip, REASON -->")
            else:
                continues = directive == "after"
                found.append(Snippet(path, start + 1, code, "" if continues else directive, continues))
            directive = ""
        number += 1
    return found


# MARK: Documentation

def snippets_of_source(path, table):
    """The indented examples of the comments whose declaration is public."""
    found, lines = [], path.read_text().split("\n")
    number = 0
    while number < len(lines):
        if not lines[number].lstrip().startswith("///"):
            number += 1
            continue
        start = number
        while lines[number].lstrip().startswith("///"):
            number += 1
        if is_public(lines, number):
            for example in examples(path, lines[start:number], start):
                entry = table.take(path, example.code)
                if entry is None:
                    found.append(example)
                elif not entry.startswith("skip,"):
                    example.prelude = entry
                    found.append(example)
    return found


def is_public(lines, number):
    """What the comment before this line belongs to; the members of a public protocol and the cases of an enum are as public as these."""
    depth = 0
    while True:
        text = lines[number].strip()
        is_attribute = depth > 0 or text.startswith("@")
        depth += text.count("(") - text.count(")") if is_attribute else 0
        if re.search(r"\b(public|open)\b", text):
            return True
        if not is_attribute:
            break
        number += 1
    if re.match(r"(case|func|var|associatedtype|init|mutating|static)\b", text):
        indent = len(lines[number]) - len(lines[number].lstrip())
        for line in reversed(lines[:number]):
            if line.strip() and len(line) - len(line.lstrip()) < indent:
                return bool(re.search(r"\bpublic (protocol|enum|indirect enum)\b", line))
    return False


def examples(path, comment, start):
    found, current = [], None
    for offset, line in enumerate(comment + ["///."]):
        text = line.lstrip()[3:]
        if text.startswith("     "):
            is_first = current is None
            if is_first:
                current = Snippet(path, start + offset + 1, [])
            current.code.append(text[5:])
        elif current and not text.strip():
            current.code.append("")
        elif current:
            while not current.code[-1].strip():
                current.code.pop()
            found.append(current)
            current = None
    return found


class Table:
    """examples.txt: `FILE | a part of the example | what stands before it`, further lines after further bars; or `skip, REASON`."""

    def __init__(self, path):
        self.path, self.rows, self.used = path, [], set()
        for line in path.read_text().split("\n") if path.exists() else []:
            if line.strip() and not line.startswith("#"):
                self.rows.append([part.strip() for part in line.split(" | ")])

    def take(self, path, code):
        text = "\n".join(code)
        for number, (file, part, *prelude) in enumerate(self.rows):
            if path.name == file and part in text:
                self.used.add(number)
                return "\n".join(prelude)
        return None

    def complain_of_unused(self):
        for number, row in enumerate(self.rows):
            if number not in self.used:
                print(f"{self.path}: no example of {row[0]} has “{row[1]}”")
        return len(self.rows) - len(self.used)


# MARK: Wrapping

def wrapped(snippets, modules):
    """One file for one document: a function for each example, its declarations and tests beside it."""
    imports, body, hoisted = set(modules), [], []

    def take(snippet):
        inner = []
        for line, text, kind in pieces(snippet):
            place = f'#sourceLocation(file: "{snippet.file}", line: {line})'
            if kind == "import":
                imports.add(text.split()[-1])
            elif kind == "declaration":
                if not re.search(r"\b(public|private|fileprivate)\b", text.split("\n")[0]):
                    text = re.sub(r"\b(extension|func|class|struct|enum|actor|protocol)\b", r"fileprivate \1", text, count=1)
                hoisted.extend([place, text])
            elif kind == "test":
                hoisted.extend([f"fileprivate struct Tests{len(hoisted)} {{", place, text, "}"])
            else:
                inner += [place, text]
        return inner

    for number, snippet in enumerate(snippets):
        if snippet.prelude.startswith("import "):
            imports |= set(re.findall(r"\w+", snippet.prelude)[1:])
            snippet.prelude = ""
        before = take(Snippet(f"{snippet.file}, before", snippet.line, snippet.prelude.split("\n")))
        if not snippet.continues:
            body.append("}\n}" if body else "")
            onMain = re.search(r"listenOnMain|@MainActor", "\n".join(snippet.code + [snippet.prelude]))
            body.append(f"{'@MainActor ' if onMain else ''}fileprivate func example{number}() async throws {{")
            body += before + ["do {"]
        body += take(snippet)
    body.append("}\n}")
    return "\n".join([f"import {name}" for name in sorted(imports)] + hoisted + body) + "\n"


def pieces(snippet):
    """Consecutive lines, cut where something stands that has no place in a function."""
    code, number = snippet.code, 0
    while number < len(code):
        start, text = number, code[number]
        if not HOISTED.match(text):
            while number < len(code) and not HOISTED.match(code[number]):
                number += 1
            yield snippet.line + start, "\n".join(code[start:number]), "code"
            continue
        while depth("\n".join(code[start:number + 1])) > 0 or not has_body(code[start:number + 1]):
            number += 1
        number += 1
        whole = "\n".join(code[start:number])
        kind = "import" if text.startswith("import") else "test" if re.match(r"@(Test|Suite)", text) else "declaration"
        yield snippet.line + start, whole, kind


def has_body(lines):
    return lines[0].startswith("import") or "{" in "\n".join(lines)


def depth(text):
    text = re.sub(r'//.*|"(\\.|[^"\\])*"', "", text)
    return text.count("{") - text.count("}")


# MARK: Checking

def main():
    os.chdir(Path(__file__).resolve().parent.parent)
    wanted = {Path(name) for name in sys.argv[1:]}
    build = Path(os.environ.get("EASYREACT_SCRATCH", ".build-tests")) / "debug"
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "Sources/*.swift"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    table = Table(Path("Tests/Compile/Documents/examples.txt"))
    count, groups = 0, {}
    for path in map(Path, filter(None, listed)):
        if (wanted and path not in wanted) or not path.exists():
            continue
        snippets = snippets_of_markdown(path) if path.suffix == ".md" else snippets_of_source(path, table)
        if not snippets:
            continue
        module = path.parts[1] if path.parts[0] == "Sources" else "EasyReact"
        if not (build / "Modules" / f"{TRAITS.get(module, module)}.swiftmodule").exists():
            continue
        count += len(snippets)
        modules = {module, "Dispatch", "Synchronization"} | ({"EasyReact"} if module in ("EasyReactTesting", "EasySequenceBridge", "EasyReactCombine", "EasyReactInspection") else set())
        modules |= {TRAITS[module]} if module in TRAITS else set()
        modules |= {"EasySequence"} if module == "EasySequenceBridge" else {"Testing"} if module == "EasyReactTesting" else set()
        groups[path] = wrapped(snippets, modules)
    failures = table.complain_of_unused() if not wanted else 0
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for path, text in groups.items():
            files.append(Path(folder) / (re.sub(r"\W", "_", str(path)) + ".swift"))
            files[-1].write_text(text)
        if os.environ.get("KEEP"):
            subprocess.run(["cp", "-r", folder, os.environ["KEEP"]], check=True)
        result = subprocess.run(
            ["swiftc", "-typecheck", "-continue-building-after-errors", "-parse-as-library", "-swift-version", "6", "-Werror", "DeprecatedDeclaration",
             "-Xfrontend", f"-warn-long-expression-type-checking={SLOW}", "-j", "2", "-module-name", "Documents",
             "-I", build / "Modules", *(word for path in sorted(build.glob("*.build/module.modulemap")) for word in ("-Xcc", f"-fmodule-map-file={path}")),
             "-Xcc", "-ISources/CEasyReact/include", *(word for path in plugins() for word in ("-plugin-path", path)), "-diagnostic-style", "llvm",
             "Tests/Compile/Documents/Prelude.swift", *files],
            capture_output=True, text=True)
    errors = sorted(set(line for line in result.stderr.split("\n") if ": error: " in line or "warning: expression took" in line))
    for line in errors:
        print(line.replace(f"{os.getcwd()}/", ""))
    if result.returncode != 0 and not errors:
        print(result.stderr)
    failures += max(len(errors), result.returncode)
    print(f"{count} code blocks, {failures} wrong")
    sys.exit(failures > 0)


def plugins():
    compiler = Path(subprocess.run(["which", "swiftc"], capture_output=True, text=True, check=True).stdout.strip()).resolve()
    folder = compiler.parent.parent / "lib/swift/host/plugins"
    return [folder, folder / "testing"]


main()
