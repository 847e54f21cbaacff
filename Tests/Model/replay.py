"""Runs programs on contract_model.py and checks that it tells what Twin.swift told: python3 replay.py FILE
The file is written by EASYREACT_RANDOM_DUMP=FILE swift test --filter TwinComparison: a line a program (JSON), then a line with what the twin told."""
import sys, json
import contract_model as m
from contract_model import Graph, Node, Thrown
plus = lambda a, b: (a + b) % 97
def digest(*vs):
    r = 1
    for v in vs: r = (r * 31 + v + 1) % 9973
    return r
def function(op):
    k, a = next(iter(op.items())); x = a.get('_0')
    if k == 'fork': return lambda v: v
    if k == 'map': return lambda v: plus(v, x)
    if k == 'mapReplace': return lambda v: x
    if k == 'filter': return lambda v: v if v % max(1, x) else None
    if k == 'ignore': return lambda v: None if v == x else v
    if k == 'select': return lambda v: v if v == x else None
    if k == 'distinctUntilChanged': return m.distinct()
    if k == 'scan': return m.scan(lambda t, v: plus(t * 3, v), x)
    if k == 'skip': return m.skip(x)
    if k == 'take': return m.take(x)
def compute(run, among, times):
    # What a derivation's closure computes, as in Machine.swift
    if not among: return times
    g, total = run.g, times
    for time in range(times):
        n = run.n.get(among[(total + time) % len(among)])
        if n is None: continue
        v = n.v if total % 5 == 1 else g.read(n)
        if v is None and total % 5 == 0: return None
        total = plus(total * 3, 1 if v is None else v)
    return None if total % 7 == 0 else total
class Run:
    def __init__(s): s.g = Graph(10**9); s.n = {}; s.joins = {}; s.cancels = {}; s.names = set(); s.told = []
    def apply(s, op):
        k, a = next(iter(op.items())); g = s.g; n = s.n.get; x = a.get('_0'); name = a.get('named'); flat = 'flattenEvery' if a.get('everyValue') else 'flatten'
        fresh = name is None or name not in s.names
        def keep(make):
            if not fresh: return
            s.names.add(name); s.cancels[name] = make()
        def make(f):
            if not fresh: return
            s.names.add(name); s.n[name] = f()
        if k == 'node':
            if x not in s.names: s.names.add(x); s.n[x] = Node(a.get('value'))
        elif k == 'set':
            if n(x): g.set(n(x), a['to'])
        elif k == 'clean':
            if n(x): g.clean(n(x))
        elif k == 'update':
            if n(x): g.update(n(x), lambda v: plus(v, a['plus']))
        elif k == 'copy':
            f, t = n(a['from']), n(a['to'])
            if f:
                v = g.read(f)
                if v is not None and t: g.set(t, plus(v, a['plus']))
        elif k == 'batch':
            def body():
                for o in x: s.apply(o)
                if a['throwing']: raise Thrown
            try: g.batch(body)
            except Thrown: pass
        elif k == 'cancel':
            if x in s.cancels: s.cancels[x]()
        elif k == 'link':
            d, u = n(x), n(a['to'])
            if d and u:
                def f():
                    e = g.link(u, d); return lambda: g.cut(e)
                keep(f)
        elif k == 'sync':
            p, q = n(x), n(a['with'])
            if p and q:
                def f():
                    es = g.sync(p, q, lambda v: plus(v, a['plus']), lambda v: plus(v, -a['plus'])); return lambda: g.cut(*es)
                keep(f)
        elif k == 'removeUpstream':
            u = n(x)
            if u:
                d = s.joins.get(a['of']) or n(a['of'])
                if d: g.remove_upstream(d, u)
        elif k == 'listen':
            if n(x):
                node, left = n(x), [a['times']]
                def call(v):
                    s.told.append((name, v))
                    if left[0] == 0: return
                    left[0] -= 1
                    for o in a['then']: s.apply(o)
                def f():
                    l = g.listen(node, call); return lambda: g.cancel(node, l)
                keep(f)
        elif k == 'derive':
            if n(x): make(lambda: g.derive(n(x), function(a['_1'])))
        elif k == 'flatten':
            if n(x):
                up, among = n(x), a['among']
                make(lambda: g.derive(up, lambda v: (s.n.get(among[v % len(among)]) if among else None) or up, kind=flat))
        elif k == 'derived': make(lambda: g.derived(lambda: compute(s, a['among'], a['times'])))
        elif k == 'flattenJoins':
            there = [i for i in a['among'] if i in s.joins]
            if there and n(x):
                def f():
                    j = g.derive(n(x), lambda v: s.joins[there[v % len(there)]], kind=flat); s.joins[name] = j; return g.derive(j, lambda v: v)
                make(f)
        else:
            ups = [n(i) for i in x if n(i)]
            if not ups: return
            if k == 'merge': make(lambda: g.merge(ups)); return
            def f():
                j = g.combine(ups, digest) if k == 'combine' else (g.every if k == 'everyValue' else g.zip)(ups, digest)
                s.joins[name] = j; return g.derive(j, lambda v: v)
            make(f)
lines = open(sys.argv[1]).read().split("\n")
different = 0
for program, told in zip(lines[0::2], lines[1::2]):
    r = Run()
    for op in json.loads(program): r.apply(op)
    mine = " ".join(f"{a}:{b}" for a, b in r.told) + " | " + " ".join(f"{i}={r.n[i].v}" for i in sorted(r.n) if r.n[i].v is not None)
    if mine != told: different += 1; print(program, "\n  twin ", told, "\n  model", mine)
print(len(lines) // 2, "programs,", different, "different")
sys.exit(different > 0 or len(lines) < 2)
