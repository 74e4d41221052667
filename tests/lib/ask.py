"""ask.py CASE EXPRESSION: prints the value of an expression over a case.

h header, v verdict, fs findings, f the first one, c its culprit, edges its chain's edges, rows(T)
all rows of table T.  Fields are attributes; what is absent is None (or an empty row).
"""

import json
import sys


class Row(dict):
    def __getattr__(self, name):
        return self.get(name)


with open(sys.argv[1], encoding="utf-8") as case:
    lines = [json.loads(line, object_hook=Row) for line in case]


def rows(table):
    return [row for line in lines for row in line.get(table) or []]


h = lines[0] if lines else Row()
v = h.verdict or Row()
fs = v.findings or []
f = fs[0] if fs else Row()
c = f.culprit or Row()
edges = [link.edge for link in f.chain or []]
gaps = [" ".join(str(x) for x in gap.values()) for gap in rows("gaps")]
try:
    print(eval(sys.argv[2].replace("\n", " ")))  # pylint: disable=eval-used
except (SyntaxError, TypeError, IndexError, StopIteration, KeyError) as e:
    print(f"{type(e).__name__}: {e}")
