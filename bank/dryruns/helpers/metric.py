"""One figure of what ncu wrote as CSV (--csv --page raw --log-file FILE).

usage: metric.py FILE NAME[|NAME...] [NAME[|NAME...] ...]

Prints each named figure of the first kernel, one a line: the first of the
alternatives that is there. Units are made plain: bytes, ns, counts.
"""
import csv
import difflib
import sys

SCALE = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1, "us": 1e3, "ms": 1e6,
         "s": 1e9, "usecond": 1e3, "nsecond": 1, "msecond": 1e6, "second": 1e9,
         "Kbyte/block": 1e3, "byte/block": 1, "Gbyte/s": 1e9, "Tbyte/s": 1e12,
         "Gbyte/second": 1e9, "Tbyte/second": 1e12, "Mbyte/s": 1e6}


def read(path):
    with open(path, newline="") as file:
        rows = [r for r in csv.reader(line for line in file if line.startswith('"'))]
    head = next(i for i, r in enumerate(rows) if r and r[0] == "ID")
    return rows[head], rows[head + 1], rows[head + 2]


def figure(names, head, units, values):
    for name in names.split("|"):
        if name in head:
            at = head.index(name)
            return float(values[at].replace(",", "")) * SCALE.get(units[at], 1)
    near = difflib.get_close_matches(names.split("|")[0], head, 6, 0.5)
    sys.exit("metric.py: no %s; there are %s" % (names, " ".join(near)))


def main():
    head, units, values = read(sys.argv[1])
    for names in sys.argv[2:]:
        print("%.12g" % figure(names, head, units, values))


main()
