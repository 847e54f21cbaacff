"""The contract's propagation rules (sections 3 to 6), single-threaded, slow and plain, with checks that they agree with each other.
It has every operator that needs a rule of its own: links, syncs, joins, combine .everyValue, zip, flatten, edges with a state (scan, skip, take,
filter, distinctUntilChanged), batch, clean, update, cutting, listeners that set, attach and cut. Not modelled: timers, queues and threads.
A change of the rules begins here: change them, run many seeds, then change Twin.swift, then the engine.
Run: python3 contract_model.py [seed] [random graphs]"""
import heapq, itertools, random, sys
sys.setrecursionlimit(100000)


class Node:
    ids = itertools.count()
    def __init__(s, v=None):
        s.id = next(Node.ids); s.v = v; s.down = []; s.listeners = []; s.rank = 0; s.wave = 0, 0  # the number, and the sequence that tells apart what has one number and had to wait
        s.pushed = -1; s.busy = False; s.queue = []             # values that wait while the node notifies
        s.join = None; s.pending = None          # a join: (upstreams, function); pending: (wave, led back) while it waits in the turn
        s.ended = False                          # a combine or zip that lost an upstream edge


class Edge:
    """kind: plain, join (tells the downstream to run), every, zip, flatten."""
    def __init__(s, a, b, kind, f, sync, back):
        s.a, s.b, s.kind, s.f, s.sync, s.back, s.isCut = a, b, kind, f, sync, back, False
        s.fifo = []; s.inner = None              # a zip's waiting values; a flatten's edge from the inner node


class Listener:
    def __init__(s, call): s.call = call; s.isCut = False


class Update:
    """What waits in a queue like a value: computed when its time comes."""
    def __init__(s, f): s.f = f


class Thrown(Exception): pass


class Graph:
    def __init__(s, limit=20000):
        s.waves = 0; s.turn = None; s.delivered = 0; s.joinruns = 0; s.limit = limit; s.backs = []; s.staged = []; s.all_edges = []

    # the shape: edges, ranks, what leads back

    def reaches(s, a, b, ordinary=False):        # over all edges, or over those that do not lead back
        seen, todo = set(), [a]
        while todo:
            n = todo.pop()
            if n is b: return True
            if n.id not in seen: seen.add(n.id); todo += [e.b for e in n.down if not (ordinary and e.back)]
        return False

    def join_up(s, a, b, kind, f, sync=False):   # a new edge, without its initial push
        e = Edge(a, b, kind, f, sync, s.reaches(b, a, ordinary=True)); a.down.append(e); s.all_edges.append(e)
        if e.back: s.backs.append(e)
        else: s.order(a, b)
        return e

    def link(s, a, b, f=lambda v: v, sync=False, kind="plain"):
        if a is b: return None
        e = s.join_up(a, b, kind, f, sync)
        s.push(e)
        return e

    def push(s, e):
        def visit():
            wave = s.new_wave()
            if e.sync or e.back: e.a.pushed = wave
            s.follow(e, (wave, 0), False)
        s.newcomer(e.a, visit)

    def order(s, a, b):                          # a node that nothing ordinary leads to goes below instead of raising all that follows
        if b.rank > a.rank: return
        first = not any(e.b is a and not e.back and not e.isCut for e in s.all_edges)
        if first and any(not e.back for e in b.down): a.rank = b.rank - 1
        else: s.raise_rank(b, a.rank + 1)

    def raise_rank(s, n, r):
        todo = [(n, r)]
        while todo:
            n, r = todo.pop()
            if r > n.rank: n.rank = r; todo += [(e.b, r + 1) for e in n.down if not e.back]

    def cut(s, e):                               # a cut opens cycles: edges that led back become ordinary
        if e is None or e.isCut: return
        e.isCut = True; e.a.down.remove(e)
        if e.kind in ("join", "every", "zip"): e.b.ended = True
        s.open_cycles()
        s.cut(e.inner)                           # a flatten that loses its outer node lets go of the inner one

    def open_cycles(s):
        s.backs = [b for b in s.backs if not b.isCut]
        for b in list(s.backs):
            if not s.reaches(b.b, b.a, ordinary=True):
                b.back = False; s.backs.remove(b); s.order(b.a, b.b)

    def remove_upstream(s, n, u):
        for e in [e for e in u.down if e.b is n]: s.cut(e)

    # operators

    def sync(s, a, b, transform=lambda v: v, revert=lambda v: v):            # the other side wins
        return s.in_turn(lambda: [s.link(b, a, transform, sync=True), s.link(a, b, revert, sync=True)])

    def combine(s, ups, f):
        n = Node(); n.join = (ups, f)
        for u in ups: s.join_up(u, n, "join", f)
        if s.can_run(n): n.v = f(*[u.v for u in ups])
        return n

    def every(s, ups, f):                        # combine(as: .everyValue): each arriving value counts
        n = Node(); n.ins = [s.join_up(u, n, "every", f) for u in ups]
        if all(u.v is not None for u in ups): n.v = f(*[u.v for u in ups])
        return n

    def zip(s, ups, f):
        n = Node(); n.ins = [s.join_up(u, n, "zip", f) for u in ups]
        s.in_turn(lambda: [s.push(e) for e in n.ins])
        return n

    def merge(s, ups):
        n = Node(); s.in_turn(lambda: [s.link(u, n) for u in ups])
        return n

    def derive(s, a, f, kind="plain"): n = Node(); s.link(a, n, f, kind=kind); return n

    # turns and batches

    def new_wave(s): s.waves += 1; return s.waves
    def set(s, n, v): s.put(n, v)
    def clean(s, n): s.put(n, None)
    def update(s, n, f): s.put(n, Update(f))

    def put(s, n, v):
        if not s.staged: return s.in_turn(lambda: s.deliver(n, v))
        if isinstance(v, Update):
            now = s.read(n)
            if now is None: return
            v = v.f(now)
        s.staged[-1][n] = v                      # keeps the place of the first staging

    def read(s, n):
        for overlay in reversed(s.staged):
            if n in overlay: return overlay[n]
        return n.v

    def batch(s, body):
        s.staged.append({})
        try: body()
        except Thrown: s.staged.pop(); raise
        mine = s.staged.pop()
        if s.staged: s.staged[-1].update(mine)
        else: s.in_turn(lambda: [s.deliver(n, v) for n, v in mine.items()])

    def in_turn(s, body):                        # the outermost set opens the turn; joins run when no plain edge is left, lowest rank first
        if s.turn is not None: return body()
        s.turn = []; result = body()
        while s.turn:
            rank, _, n = heapq.heappop(s.turn)
            if n.rank > rank: heapq.heappush(s.turn, (n.rank, n.id, n)); continue
            (wave, led_back), n.pending = n.pending, None
            ups, f = n.join
            if s.can_run(n):
                s.joinruns += 1; s.deliver(n, f(*[u.v for u in ups]), wave, led_back, led_back)
        s.turn = None
        return result

    def can_run(s, n): return not n.ended and all(u.v is not None for u in n.join[0])

    # how a value flows

    def deliver(s, n, v, wave=None, led_back=False, filtered=False):         # a set has its number from the start
        n.queue.append((v, wave or (s.new_wave(), 0), led_back, filtered, n.busy, wave is None))
        if not n.busy: s.drain(n)

    def drain(s, n):
        n.busy = True
        while n.queue:
            v, wave, led_back, filtered, waited, is_set = n.queue.pop(0)
            s.delivered += 1; assert s.delivered < s.limit, "does not end"
            if filtered and (n.wave >= wave or n.pushed == wave[0]): continue                      # tested when it is stored
            if isinstance(v, Update):
                if n.v is None: continue
                v = v.f(n.v)
            # A set, and what comes over a filtered edge, keeps its number; but this node's value may have set out by a first push since.
            # What comes over another edge is told in any case, and the newest from then on.
            if filtered and waited: wave = wave[0], s.new_wave()
            if n.pushed >= wave[0] if filtered else n.wave >= wave or (n.pushed >= wave[0] if is_set else waited): wave = s.new_wave(), 0
            n.v = v; n.wave = wave
            if v is not None: s.notify(n, wave, led_back)
        n.busy = False

    def notify(s, n, wave, led_back):            # who was attached since is not visited, who was cut since neither
        v, listeners, edges = n.v, list(n.listeners), list(n.down)
        for l in listeners:
            if not l.isCut: l.call(v)
        for e in edges:
            if not e.isCut: s.follow(e, wave, led_back)

    def listen(s, n, call):
        l = Listener(call); n.listeners.append(l)
        s.newcomer(n, lambda: l.call(n.v))
        return l

    def cancel(s, n, l):
        if not l.isCut: l.isCut = True; n.listeners.remove(l)

    def newcomer(s, n, visit):                   # a notification for the newcomer alone
        def body():
            if n.v is None: return
            was, n.busy = n.busy, True
            visit()
            n.busy = was
            if not was: s.drain(n)
        s.in_turn(body)

    def follow(s, e, wave, led_back):
        led_back = led_back or e.back
        filtered = e.back or e.sync or (led_back and s.reaches(e.b, e.a))
        if filtered and (e.b.wave >= wave or e.b.pushed == wave[0]): return
        if e.kind == "join":
            if not filtered and e.b.wave >= wave: wave = s.new_wave(), 0
            if e.b.pending is None: heapq.heappush(s.turn, (e.b.rank, e.b.id, e.b)); e.b.pending = (wave, led_back)
            else: e.b.pending = max(e.b.pending, (wave, led_back))           # the newest arrival counts
        elif e.kind == "flatten": s.switch(e, wave, led_back, filtered)
        elif e.kind == "plain":
            v = e.f(e.a.v)                       # None: a filter holds it back
            if v is not None: s.deliver(e.b, v, wave, led_back, filtered)
        elif not e.b.ended:
            ins = e.b.ins
            if e.kind == "zip":
                e.fifo.append(e.a.v)
                if all(i.fifo for i in ins): s.deliver(e.b, e.f(*[i.fifo.pop(0) for i in ins]), wave, led_back, filtered)
            elif all(i.a.v is not None for i in ins): s.deliver(e.b, e.f(*[i.a.v for i in ins]), wave, led_back, filtered)

    def switch(s, e, wave, led_back, filtered):
        inner = e.f(e.a.v)
        if inner is e.b: return
        if e.inner is None or e.inner.isCut or e.inner.a is not inner:
            s.cut(e.inner)
            e.inner = s.join_up(inner, e.b, "plain", lambda v: v)
        if inner.pending is not None and s.can_run(inner): return             # it will tell
        s.deliver(e.b, inner.v, wave, led_back, filtered)


# Edges with a state: functions that remember.
def scan(f, start):
    acc = [start]
    def g(v): acc[0] = f(acc[0], v); return acc[0]
    return g
def skip(k):
    count = itertools.count()
    return lambda v: v if next(count) >= k else None
def take(k):
    count = itertools.count()
    return lambda v: v if next(count) < k else None
def distinct():
    last = [None]
    def g(v):
        if last[0] == v: return None
        last[0] = v; return v
    return g
def keep(k): return lambda v: v if v % k else None


def heard_by(nodes):
    log = []
    for n in nodes: n.listeners.append(Listener(lambda v, n=n: log.append((n.id, v))))
    return log
def ring(k, start):
    g = Graph(); ns = [Node() for _ in range(k)]
    for i in range(k): g.link(ns[i], ns[(i + 1) % k])
    log = heard_by(ns); g.set(ns[start], 5); return len(log) == k and all(n.v == 5 for n in ns)
def mesh(k):
    g = Graph(); ns = [Node() for _ in range(k)]
    for i in range(k):
        for j in range(i): g.sync(ns[j], ns[i])
    log = heard_by(ns); g.set(ns[k // 2], 1); return len(log) == k
def sync_tree(rnd):
    g = Graph(); ns = [Node() for _ in range(rnd.randrange(2, 20))]
    for i in range(1, len(ns)): g.sync(ns[rnd.randrange(i)], ns[i])
    log = heard_by(ns); g.set(rnd.choice(ns), 1); return len(log) == len(ns)
def dag(rnd):
    g = Graph(10**6); ns = [Node(i) for i in range(4)]; spec = []
    for _ in range(30):
        i, j = rnd.randrange(len(ns)), rnd.randrange(len(ns)); spec.append((i, j))
        ns.append(g.combine([ns[i], ns[j]], lambda x, y: (x + 3 * y) % 10007))
    for _ in range(20):
        g.joinruns = 0
        def some():
            for _ in range(rnd.randrange(1, 3)): g.set(ns[rnd.randrange(4)], rnd.randrange(1000))
        g.batch(some); v = [n.v for n in ns[:4]]
        for i, j in spec: v.append((v[i] + 3 * v[j]) % 10007)
        if [n.v for n in ns] != v or g.joinruns > 30: return False
    return True
def synced_cases():
    """One source that reaches both ends of a sync, and sets from listeners: both ends must end equal."""
    ok = []
    g = Graph(); x, a, b = Node(), Node(), Node(); g.link(x, a); g.link(x, b, lambda v: v + 1); g.sync(a, b); g.set(x, 1); ok.append(a.v == b.v)
    g = Graph(); x, a, b = Node(), Node(), Node(); g.link(x, a); g.sync(a, b); g.listen(x, lambda v: g.set(b, 2)); g.set(x, 1); ok.append(a.v == b.v)
    return ok


class Wild:
    """A random graph of everything, and random calls on it, by listeners too. Every wave ends; where its definitions can all hold
    (no cycle but through syncs, nothing cleaned in a sync, …), they do."""
    def __init__(s, rnd, listeners):
        s.rnd, s.listeners = rnd, listeners
        s.g = Graph(); s.ns = [Node() for _ in range(rnd.randrange(3, 7))]; s.pairs = []; s.joins = []; s.maps = []; s.flats = []
        s.links = []; s.heard = []; s.cleaned = set(); s.made = 0
        # Each graph has a taste of its own: it leaves some things out, so that rare companions meet often in some graphs.
        taste = lambda usual: {k: 0 if rnd.random() < .45 else w * rnd.randrange(1, 4) for k, w in usual.items()}
        s.building = taste(dict(link=5, combine=3, every=1, zip=1, merge=1, map=1, derive=2, flatten=2, sync=6, react=5 if listeners else 0))
        s.calling = taste(dict(update=2, clean=1, batch=2, cut=2, remove=1, cancel=1, build=2, copy=2)); s.calling["set"] = 10
        if rnd.random() < .5:                    # the dense heart of it: links, joins and syncs, and sets
            s.building = dict(link=4, combine=2, sync=4, react=4 if listeners else 0); s.calling = dict(set=1, batch=.1)

    def run(s):
        for _ in range(s.rnd.randrange(3, 11)): s.build()
        for _ in range(8):
            s.g.delivered = 0
            s.call()
            r = s.check()
            if r: return r
        return None

    def pick(s, taste): return s.rnd.choices(list(taste), list(taste.values()))[0] if any(taste.values()) else "link"

    def build(s, depth=0):
        rnd, g, ns = s.rnd, s.g, s.ns
        k, a, b, c = s.pick(s.building), rnd.choice(ns), rnd.choice(ns), rnd.randrange(97)
        if len(ns) > 14 and k not in ("link", "sync", "react"): return
        if k == "link":
            if not s.free(b) or a is b: return
            f = rnd.choice([lambda v: (v + 1) % 97, lambda v: v, keep(3), skip(1), scan(lambda x, y: (x + y) % 97, 0), distinct()])
            s.links.append([g.link(a, b, f)])
        elif k == "combine": s.add(g.combine([a, b], lambda x, y: (x + y) % 97), s.joins)
        elif k == "every": s.add(g.every([a, b], lambda x, y: (x + y) % 97))
        elif k == "zip": s.add(g.zip([a, b], lambda x, y: (x * 3 + y) % 97))
        elif k == "merge": s.add(g.merge([a, b]))
        elif k == "map": n = g.derive(a, lambda v: (v + 5) % 97); s.maps.append((a, n)); s.add(n)
        elif k == "derive": s.add(g.derive(a, rnd.choice([keep(2), skip(2), take(3), distinct(), scan(lambda x, y: (x + y) % 97, 0)])))
        elif k == "flatten":
            n = Node(); choices = [rnd.choice(ns) for _ in range(2)] + [n] * (rnd.random() < .2)
            n.flat = (a, choices); s.add(n); s.flats.append(n)
            g.link(a, n, lambda v: choices[v % len(choices)], kind="flatten")
        elif k == "sync":
            if a is b or not s.free(a) or not s.free(b): return
            d = 0 if rnd.random() < .8 else c
            edges = g.sync(a, b, lambda v: (v + d) % 97, lambda v: (v - d) % 97)
            s.pairs.append(((a, b, d), edges)); s.links.append(edges)
        elif depth < 3 and s.listeners: s.react(a, b)

    def free(s, n): return n.join is None and not hasattr(n, "derived")

    def call(s, depth=0):
        rnd, g, ns = s.rnd, s.g, s.ns
        k, a, b, c = s.pick(s.calling), rnd.choice(ns), rnd.choice(ns), rnd.randrange(97)
        if k == "set": s.free(b) and g.set(b, c)
        elif k == "update": s.free(b) and g.update(b, lambda v: (v + c) % 97)
        elif k == "copy":
            v = g.read(a)
            if v is not None and s.free(b): g.set(b, v)
        elif k == "clean":
            if s.free(b): s.cleaned.add(b); g.clean(b)
        elif k == "batch":
            def body():
                for _ in range(rnd.randrange(1, 4)): s.call(depth + 1)
                if rnd.random() < .2: raise Thrown
            if depth > 2: return
            try: g.batch(body)
            except Thrown: pass
        elif k == "cut":
            for e in rnd.choice(s.links or [[]]): g.cut(e)
        elif k == "remove": g.remove_upstream(b, a)
        elif k == "cancel": s.heard and g.cancel(*rnd.choice(s.heard))
        elif s.made < 6: s.made += 1; s.build(depth + 1)

    def add(s, n, to=None):
        n.derived = True; s.ns.append(n)
        if to is not None: to.append(n)

    def react(s, a, b):
        left = [s.rnd.randrange(1, 4)]; how = s.rnd.random()
        def call(v):
            if left[0] <= 0: return
            left[0] -= 1
            if how < .7: s.free(b) and s.g.set(b, v * 5 % 97)
            else: s.call(depth=1)
        s.heard.append((a, s.g.listen(a, call)))

    def rings_of_syncs(s):                       # the nodes of all syncs that were ever in one piece with a ring
        piece = {n: {n} for p, _ in s.pairs for n in p[:2]}; ringed = set()
        for (a, b, _), _ in s.pairs:
            if piece[a] is piece[b]: ringed |= piece[a]
            one = piece[a] | piece[b]
            for n in one: piece[n] = one
        return {n for n in piece if piece[n] & ringed}

    def check(s):
        g = s.g; comp = {n: n for n in s.ns}
        live = [(p, es) for p, es in s.pairs if all(e and not e.isCut for e in es)]
        living = {e for _, es in live for e in es}
        def find(n):
            while comp.setdefault(n, n) is not n: n = comp[n]
            return n
        for (a, b, d), _ in live: comp[find(a)] = find(b)
        members = {}
        ringed = s.rings_of_syncs()
        for n in list(comp): members.setdefault(find(n), []).append(n)
        below = {}
        for e in g.all_edges:                    # cut edges too: what they left may be of a cycle
            if e not in living: below.setdefault(find(e.a), set()).add(find(e.b))
        for n in s.flats:
            for i in n.flat[1]: below.setdefault(find(i), set()).add(find(n))
        def cyclic(c):
            seen, todo = set(), list(below.get(c, ()))
            while todo:
                x = todo.pop()
                if x is c: return True
                if x not in seen: seen.add(x); todo += below.get(x, ())
            return False
        if any(cyclic(c) for c in list(below)): return None
        for (a, b, d), _ in live:
            m = members[find(a)]
            if any(n in s.cleaned or hasattr(n, "flat") for n in m): continue
            if a in ringed and any(q[2] for q, _ in s.pairs): continue       # transforms round a ring of syncs may contradict each other
            if (a.v is None) != (b.v is None) or a.v is not None and a.v != (b.v + d) % 97: return "synced nodes differ"
        for j in s.joins:
            ups, f = j.join
            if not j.ended and all(u.v is not None for u in ups) and j.v != f(*[u.v for u in ups]): return "a join is stale"
        for a, n in s.maps:
            if a.v is not None and n.v != (a.v + 5) % 97 and any(e.b is n for e in a.down): return "a map is stale"
        for n in s.flats:
            a, choices = n.flat
            if a.v is not None and any(e.b is n and e.kind == "flatten" for e in a.down) and not any(u in s.cleaned for u in choices):
                i = choices[a.v % len(choices)]
                if i.v is None and i in s.flats: continue                    # emptied after the switch: that is not told
                if i is not n and any(e.b is n and e.kind == "plain" for e in i.down) and n.v != i.v: return "a flatten is stale"
        return None


if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    rnd = random.Random(seed)
    print("rings", all(ring(k, s) for k in range(2, 9) for s in range(k)), "meshes", all(mesh(k) for k in (2, 3, 5, 8, 12)),
          "sync trees", all(sync_tree(rnd) for _ in range(300)), "dags", all(dag(rnd) for _ in range(100)), "both ends", synced_cases())
    for listeners in (False, True):
        found = {}
        for i in range(count):
            try: r = Wild(random.Random(f"{seed} {i}"), listeners).run()
            except AssertionError as e: r = str(e)
            if r: found.setdefault(r, []).append(i)
        print(f"{count} random graphs,", "with" if listeners else "without", "listeners that set:",
              {r: (len(i), i[:4]) for r, i in found.items()} or "all end, all hold")
