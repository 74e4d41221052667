"""mermaid.py FILE...: checks the Markdown that ncclhang writes.  Mermaid's own parser comes with a
browser's worth of packages, so this accepts only the part of its grammar that the reports use, and
only what GitHub shows as text: no HTML but <details>, fences that close, at most 60,000 bytes.
"""

import re
import sys

LABEL = r'"(?:[A-Za-z0-9 .,:()/=+_\-\u0080-\U0010ffff]|#\d{1,3};)*"'
NODE = re.compile(rf"  (n\d+|more)\[{LABEL}\]")
EDGE = re.compile(rf"  (n\d+) (?:-->|-\.->)\|{LABEL}\| (n\d+)")
CLASS = re.compile(r"  class (n\d+) culprit")
CLASSDEF = "  classDef culprit stroke:#c00000,stroke-width:3px"


def diagram(lines):
    defined, used = set(), set()
    if lines[0] != "flowchart TD":
        yield f"no flowchart: {lines[0]}"
    for line in lines[1:]:
        if m := NODE.fullmatch(line):
            defined.add(m[1])
        elif m := EDGE.fullmatch(line):
            used |= {m[1], m[2]}
        elif m := CLASS.fullmatch(line):
            used.add(m[1])
        elif line != CLASSDEF:
            yield f"not of the grammar: {line}"
    if used - defined:
        yield f"undefined: {used - defined}"


def check(text):
    if len(text.encode()) > 60000:
        yield f"{len(text.encode())} bytes"
    fence, block, language, folds = None, [], "", 0
    for line in text.split("\n"):
        mark = re.match(r" *(`{3,})(\w*)$", line)
        if fence and mark and mark[1] == fence and not mark[2]:
            if language == "mermaid":
                yield from diagram(block)
            fence, block = None, []
        elif fence:
            block.append(line)
        elif mark:
            fence, language = mark[1], mark[2]
        elif line in ("<details>", "</details>"):
            folds += 1 if line == "<details>" else -1
            if folds not in (0, 1):
                yield "folds within folds"
        elif "<" in re.sub(r"^<summary>|</summary>$", "", line).replace("\\<", ""):
            yield f"HTML: {line}"
    if fence or folds:
        yield "does not close"


bad = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        for problem in check(f.read()):
            print(f"# {path}: {problem}")
            bad = 1
sys.exit(bad)
