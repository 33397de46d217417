"""Prints what a run of the help centres' measure.py found beside its targets.

corpus.py FILE, which its --json wrote.
"""
import json
import sys

SIZES = (1, 3, 4)
RECALL = {"mautic": (16, 25, 26), "netbird": (14, 22, 24)}  # English
FOREIGN = {"mautic": 5, "netbird": 4}
FOLLOWUPS, OFFERED, WRONG, QUOTED, LINKED = 6, 22, 2, 1, 12


def show(what, got, target, least=True):
    fits = got >= target if least else got <= target
    sign = "≥" if least else "≤"
    print(f"{'corpus':12} {what:34} {got} (target {sign} {target}){'' if fits else ', MISSED'}")


def found(rows, key, n):
    """How many questions have a right article among the first n."""
    return sum(any(slug in r["want"] for slug in (r[key] or [])[:n]) for r in rows)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        rows = json.load(f)
    for name in dict.fromkeys(r["corpus"] for r in rows):
        mine = [r for r in rows if r["corpus"] == name]
        english = [r for r in mine if r["kind"] in ("en", "follow")]
        for n, target in zip(SIZES, RECALL.get(name, ())):
            show(f"{name} @{n} of {len(english)}", found(english, "found", n), target)
        foreign = [r for r in mine if r["kind"] in ("de", "fr", "es")]
        show(f"{name} de fr es @3 of {len(foreign)}", found(foreign, "found", 3), FOREIGN.get(name, 0))
        right = [r for r in english if any(slug in r["want"] for slug in r["cited"])]
        wrong = [r for r in english if r["quoted"] and not any(slug in r["want"] for slug in r["quoted"])]
        show(f"{name} offline, right one offered", len(right), OFFERED)
        show(f"{name} offline, wrong quotes", len(wrong), WRONG, least=False)
    follow = [r for r in rows if r["kind"] == "follow"]
    show(f"follow-ups @3 of {len(follow)}, joined", found(follow, "joined", 3), FOLLOWUPS)
    without = [r for r in rows if not r["want"]]
    show(f"of {len(without)} unanswerable, quoted", sum(bool(r["quoted"]) for r in without), QUOTED, least=False)
    show(f"of {len(without)} unanswerable, linked", sum(bool(r["cited"]) and not r["quoted"] for r in without), LINKED, least=False)


main()
