"""The rules by which lenses, their wholes and their partners agree (decisions 0006 and 0014), executable, slow and plain.

    python3 Tests/Model/lens_model.py [SEED] [ROUNDS]     also runs the mutants: each leaves one rule out, and has to be found.
                                                          Exit code 1: a law is broken, or a mutant was not found.

A whole has two parts, x and y; in trees it has four. The lens of a part lies in the whole's region; its inlet, where what is linked to the lens ends, leads to the whole. Wires
are syncs and links between lenses and cells; by what a wire is filtered is found out as the engine does (what leads back, what lies on a cycle).
What leads from an inlet into the whole leads back if it lies on a cycle, and the part comes behind its inlet: of two lenses that wait to be told again the one
of lower rank is told first, when everything else in the turn has been.
Each region is free, or held by a thread that is inside: then what comes is left, and opened in order; who is inside is thrown with dice. A thread may
lose its processor between its number and its claim.
*Partners*: one whole, cells synced with x, perhaps a source that is linked to x, perhaps a partner that follows y besides, which closes a cycle. Laws: it comes
to quiet; then x and its partners are equal, unless one follows y too; and where neither a link nor such a thread brings something late, the last set stays.
*Wholes*: two wholes synced with each other, and cells, each synced with a part of either. Laws: it comes to quiet; then all that is synced is equal.
*Trees*: links and syncs between lenses of up to three wholes and cells, in no ring, as long as one looks at parts and not at wholes. What no link leads to is set. Laws:
it comes to quiet; and where nothing is held, each is equal to what it follows or is synced with.
*Forests*: links between the parts of one whole, where nothing is held; any part is set, or several by the whole. Law: all but what was set is equal to what it follows.
*Rings*: any wires between lenses of two wholes and cells, and perhaps between the wholes. Laws: it comes to quiet; and where nothing is held, then what is synced
is equal, if of each whole one part is wired, or if all wires are syncs of parts and cells.
*Nests*: a whole that is synced with a part of another one, or two parts of different wholes that have parts themselves, and links and syncs, in no ring, between what has no
parts. Where a whole is synced with a part, no link ends at a part of that one; where two parts are, only one has parts that are wired. Laws: it comes to quiet; and where
nothing is held, each is equal to what it follows or is synced with.
"""
import random, sys
from collections import deque
sys.setrecursionlimit(100000)

class Endless(Exception): pass

class Region:
    """What one thread at a time may touch: what comes while somebody is inside is left in the mail; while the node tells its value, in its queue."""
    def __init__(s): s.mail, s.queue, s.isHeld, s.isBusy, s.version, s.outs = deque(), deque(), False, False, (0, 0), []
    def do(s, op, waited):
        s.isBusy = True; op(waited)
        while s.queue: s.queue.popleft()(True)
        s.isBusy = False

class Cell(Region):
    def __init__(s): super().__init__(); s.v = 0

class Whole(Region):
    def __init__(s, parts): super().__init__(); s.parts = [Part(s) for _ in range(parts)]; s.own = list(s.parts)
    v = property(lambda s: tuple(p.v for p in s.own))

class Part:
    """With its lens, and the version that a `PartVersion` has: of what was `seen` last."""
    def __init__(s, whole):
        s.whole, s.v, s.seen, s.version, s.outs, s.inlet = whole, 0, 0, (0, 0), [], Cell()
        s.isPutAgain = s.isOnlyPutAgain = s.isLinked = False; s.inlet.part = s; s.inlet.isBack = False

class Inner(Part):
    """A part of a part."""
    def __init__(s, outer, place): s.outer, s.place = outer, place; super().__init__(outer.whole); s.whole.parts.append(s); s.seen = 0
    v = property(lambda s: s.outer.v[s.place] if s.outer.v else 0, lambda s, v: setattr(s.outer, "v", s.outer.v and s.outer.v[:s.place] + (v,) + s.outer.v[s.place + 1:]))

class Wire:
    def __init__(s, a, b, isSync): s.a, s.b, s.isSync = a, b, isSync

def after(n, ordinary=False):                    # where a value goes from there; of what orders, the parts behind their inlets too
    ways = [end(w.b) for w in n.outs if not (ordinary and w.isBack)]
    if isinstance(n, Whole): ways += n.parts
    if hasattr(n, "part"): ways += ([] if ordinary and n.isBack else [n.part.whole]) + [n.part] * ordinary
    return ways

def reaches(a, b, ordinary=False):
    seen, todo = set(), [a]
    while todo:
        n = todo.pop()
        if n is b: return True
        if id(n) not in seen: seen.add(id(n)); todo += after(n, ordinary)
    return False

def end(n): return n.inlet if isinstance(n, Part) else n

class Net:
    def __init__(s, rnd, mutant=None, wholes=1, parts=2, cells=2, p=.5):
        s.rnd, s.mutant, s.p, s.last, s.steps = rnd, mutant, p, 1, 0
        s.wholes, s.cells = [Whole(parts) for _ in range(wholes)], [Cell() for _ in range(cells)]
        s.parts = [part for w in s.wholes for part in w.parts]
        s.waiting, s.depth = {}, 0
        s.regions = s.wholes + [part.inlet for part in s.parts] + s.cells

    def wire(s, a, b, isSync=False):
        w = Wire(a, b, isSync); w.isBack = False
        if reaches(end(b), a):
            a.outs.append(w)
            for p in s.parts: p.inlet.isBack = s.mutant != "wires lead back" and reaches(p.whole, p.inlet)
            a.outs.pop(); w.isBack = reaches(end(b), a, ordinary=True)
        a.outs.append(w)
        if isinstance(b, Part) and not isSync: b.isLinked = True
    def sync(s, a, b): s.wire(b, a, True); s.wire(a, b, True)

    def new(s): s.last += 1; return s.last
    def sequence(s, isMarked=False, takenOff=0): return s.new() << 5 | isMarked * 24 | takenOff << 1 | 1

    def bring(s, region, op):                    # now, or left with the thread that is inside
        s.steps += 1
        if s.steps > 2000: raise Endless
        if region.isBusy: region.queue.append(op)
        elif region.isHeld or region.mail or s.rnd.random() < s.p: region.mail.append(op)
        else: s.turn(region, op, False)

    def open_one(s):
        region = s.rnd.choice([r for r in s.regions if r.mail and not r.isHeld])
        s.turn(region, region.mail.popleft(), True)

    def turn(s, region, op, waited):             # at its end what waits is told, by rank
        s.depth += 1; region.do(op, waited); s.depth -= 1
        while not s.depth and s.waiting:
            p = next(p for p in s.waiting if not any(q is not p and reaches(q, p, ordinary=True) for q in s.waiting))
            n, t, led = s.waiting.pop(p)
            s.depth += 1
            for w in p.outs: s.follow(w, p.v, *s.version_over(w, p, n, t), led, p.isPutAgain if w.isSync else True)
            s.depth -= 1

    def settle(s):
        while any(r.mail for r in s.regions):
            s.open_one(); s.steps += 1
            if s.steps > 2000: raise Endless

    # numbers: `assignVersion`
    def assign(s, present, n, t, filtered, waited, isSet, comesAgain=False):
        if filtered: return n, s.sequence() if waited and t & 1 == 0 else t
        if waited and not isSet: return s.new(), 0
        if present[0] < n or present < (n, t) and present[1] >> 5 < t >> 5: return n, t
        return (present[0], s.sequence((n == present[0] or comesAgain) and s.mutant != "round again", t >> 1 & 3)) if isSet else (s.new(), 0)

    # over a wire: `Delivery`
    def follow(s, w, v, n, t, led, isAgain=False):     # of a part that the wave has not touched
        led = led or w.isBack; isOnCycle = reaches(end(w.b), w.a); isFiltered = w.isBack or w.isSync or led and isOnCycle
        if not isFiltered: t &= ~31
        if t & 16:                               # the whole's own mark: taken off over half of a sync, three times
            isOff = w.isSync and not isAgain and t & 6 != 6 and s.mutant != "marks stay"
            t -= 16 if not isOff else 24 if s.mutant == "marks come off" else 22
        store = s.store_whole if isinstance(w.b, Whole) else s.store
        s.bring(end(w.b), lambda waited: store(end(w.b), v, n, t, led, isFiltered, waited, bySync=w.isSync, isAgain=isAgain, isOnCycle=isOnCycle))

    # cells, and inlets, from which it goes on to the whole
    def set_cell(s, c, v):
        n = s.new(); s.bring(c, lambda waited: s.change_cell(c, v, n, waited))
    def change_cell(s, c, v, n, waited=False): s.store(c, v, n, 0, False, False, waited, isSet=True)

    def store(s, c, v, n, t, led, isFiltered, waited, isSet=False, bySync=False, isAgain=False, isOnCycle=False):
        if isFiltered and c.version >= (n, t): return
        c.version = s.assign(c.version, n, t, isFiltered, waited, isSet); c.v = v
        n, t = c.version
        for w in c.outs: s.follow(w, v, n, t, led, isAgain)
        if hasattr(c, "part"):
            whole, wasLed = c.part.whole, led
            ledHere = (led and reaches(whole, c) or c.isBack) and (led or isOnCycle)
            led = led or ledHere
            if not ledHere: t &= ~31
            s.bring(whole, lambda waited: s.put(c.part, v, n, t, led, ledHere, bySync, waited, isAgain))

    def store_whole(s, whole, vs, n, t, led, isFiltered, waited, bySync, isAgain, isOnCycle):
        if isFiltered and whole.version >= (n, t): return
        for p, v in zip(whole.own, vs): p.v = v
        s.tell(whole, n, t, led, None, isFiltered, waited, isSet=False)

    def put(s, part, v, n, t, led, isFiltered, bySync, waited, isAgain):
        whole = part.whole
        if isAgain and isFiltered and not bySync and v == part.seen: return
        if bySync or isFiltered and s.mutant != "what is led back is new":
            same = part.version[0] == n
            if same and part.isOnlyPutAgain and not isAgain: pass
            elif part.version >= (n, t) or t & 8 and same: return
            elif s.mutant == ("any tiebreak" if t else "once a whole") and whole.version[0] == n and whole.version >= (n, t): return
        before, wasOnly = part.version[0], part.isOnlyPutAgain; comesAgain = (bySync or isFiltered) and before == n; part.v = v
        if bySync: part.version = n, t
        elif isFiltered and s.mutant != "what is led back is new": s.note_led_back(part, n, t)
        elif s.mutant != "links of equal values do not count" or v != part.seen: s.note_set(part, n)
        part.isPutAgain = isAgain; part.isOnlyPutAgain = isAgain and (part.version[0] != before or wasOnly)
        s.tell(whole, n, t | (t & 8) << 1, led, part, comesAgain=comesAgain)    # a mark is the whole's own from here on

    def note_set(s, part, n):
        part.version = (n, 0) if n > part.version[0] else (part.version[0], s.sequence()); part.isPutAgain = part.isOnlyPutAgain = False

    def note_led_back(s, part, n, t):            # partners may have its pair already: told anew, once
        part.version = (n, s.sequence()) if part.version == (n, 0) else (n, t)

    # the whole: sets of a lens, and of both parts
    def set_lens(s, part, v):
        n = s.new(); s.bring(part.whole, lambda waited: s.change(part, v, n))

    def change(s, part, v, n):
        part.v = v
        if s.mutant != "the whole's version": s.note_set(part, n)
        s.tell(part.whole, n, 0, part=part)

    def set_by_whole(s, parts, v):               # an update of the whole that touches some parts
        n = s.new()
        def change():
            for i, part in enumerate(parts): part.v = v + i / 10
            s.tell(parts[0].whole, n, 0)
        s.bring(parts[0].whole, lambda waited: change())
    def set_whole(s, whole, v):
        n = s.new(); s.bring(whole, lambda waited: s.change_whole(whole, v, n))
    def change_whole(s, whole, v, n):
        for part in whole.own: part.v = v
        s.tell(whole, n, 0)

    def update(s, whole, change):                # whose closure takes its time: who comes meanwhile leaves a message
        n = s.new()
        if whole.isHeld or whole.mail: s.bring(whole, lambda waited: change(n)); return None
        whole.isHeld = True
        def end():
            whole.isHeld = False
            number = s.new() if s.mutant == "numbers at the end" else n
            whole.do(lambda waited: change(number), False)
        return end

    def hesitate(s, region, change):             # a thread that loses its processor between its number and the claim
        n = s.new(); return lambda: s.bring(region, lambda waited: change(n))
    def hesitate_cell(s, c, v): return s.hesitate(c, lambda n: s.change_cell(c, v, n))
    def hesitate_lens(s, part, v): return s.hesitate(part.whole, lambda n: s.change(part, v, n))

    def tell(s, whole, n, t, led=False, part=None, isFiltered=False, waited=False, isSet=True, comesAgain=False):
        # The whole stores; its lenses are told, and so are their partners, under the part's version.
        whole.version = s.assign(whole.version, n, t, isFiltered, waited, isSet, comesAgain)
        touched = [p for p in whole.parts if p is part or p.v != p.seen]
        for p in touched:
            if (p is not part or s.mutant == "the whole's version") and p.v != p.seen: p.version, p.isPutAgain, p.isOnlyPutAgain = whole.version, False, False
            p.seen = p.v; s.waiting.pop(p, None)
        now = []
        for p in whole.parts:
            if p not in touched and p.isLinked and reaches(p, whole) and s.mutant != "nothing waits": s.waiting[p] = (*whole.version, led); continue
            isAgain = p not in touched or p.isPutAgain
            for w in p.outs: now.append((w, p.v, p.isPutAgain if w.isSync else isAgain, s.version_over(w, p, *whole.version)))
        now += [(w, whole.v, part is not None and part.isPutAgain, whole.version) for w in whole.outs]
        for w, v, isAgain, (wn, wt) in now: s.follow(w, v, wn, wt, led, isAgain)

    def tree(s, order, synced, linked):           # wired in any order; what no link leads to is set
        for a, b in s.rnd.sample(synced + linked, len(synced + linked)): (s.sync if (a, b) in synced else s.wire)(a, b)
        led = {b for _, b in linked}             # all that a link leads to, also over syncs
        for _ in order: led |= {b for a, b in synced + linked if a in led} | {a for a, b in synced if b in led}
        free = [n for n in order if n not in led]
        try:
            for v in range(1, s.rnd.randrange(2, 6)):
                s.steps, n = 0, s.rnd.choice(free)
                if not isinstance(n, Part): s.set_cell(n, v)
                elif s.rnd.random() < .3: s.set_by_whole([n], v)
                else: s.set_lens(n, v)
                if s.rnd.random() < .5: s.settle()
            s.settle()
            if s.p == 0 and any(a.v != b.v for a, b in synced + linked): return "unequal"
        except Endless: return "endless"
        return None

    def version_over(s, w, part, n, t): return part.version if w.isSync and s.mutant != "partners hear the whole's" else (n, t)

# partners

def run(rnd, mutant=None):
    partners, hasSource, follows = rnd.randrange(1, 3), rnd.random() < .4, rnd.random() < .3
    s = Net(rnd, mutant, cells=partners + 1, p=rnd.choice([0, .2, .5, .9]))
    (whole,), (x, y), (source, *partners) = s.wholes, s.parts, s.cells
    for c in partners: s.sync(c, x)
    if follows: s.wire(y, partners[0])
    if hasSource: s.wire(source, x)
    changes = [lambda v: lambda n: s.change(x, v, n), lambda v: lambda n: s.change(y, v, n), lambda v: lambda n: s.change_whole(whole, v, n)]
    value, isPunctual = 0, True
    try:
        for _ in range(3):
            lastSet, end, hesitating = None, None, []
            for _ in range(rnd.randrange(1, 7)):
                if rnd.random() < .8: value += 1       # sets of what is there already count too
                k = rnd.randrange(11)
                if k < 2: s.set_lens(x, value); lastSet = value
                elif k < 4: s.set_cell(rnd.choice(partners), value); lastSet = value
                elif k == 4 and hasSource: s.set_cell(source, value); lastSet = value
                elif k == 5: s.set_lens(y, value)
                elif k == 6 and not end: end = s.update(whole, changes[1](value))
                elif k == 7 and not end: end = s.update(whole, changes[0](value)); lastSet = value
                elif k == 8: s.set_whole(whole, value); lastSet = value
                elif k >= 9 and len(hesitating) < 3:
                    if rnd.random() < .5: hesitating.append(s.hesitate(whole, rnd.choice(changes)(value)))
                    else: hesitating.append(s.hesitate_cell(rnd.choice(partners), value))
                    isPunctual = False
                while any(r.mail and not r.isHeld for r in s.regions) and rnd.random() < .5: s.open_one()
                if end and rnd.random() < .4: end(); end = None
                if hesitating and rnd.random() < .4: hesitating.pop(rnd.randrange(len(hesitating)))()
            for late in hesitating: late()
            if end: end()
            s.settle()
            cells = [x.v] + [c.v for c in partners]
            if follows: continue                 # the second part, or what the partner follows: only the end of it is promised
            if len(set(cells)) > 1: return "unequal"
            if lastSet is not None and isPunctual and not hasSource and cells[0] != lastSet: return "the last set is lost"
    except Endless: return "endless"
    return None

# wholes

def run_wholes(rnd, mutant=None):
    s = Net(rnd, mutant, wholes=2, cells=rnd.randrange(0, 5), p=rnd.choice([0, .2, .5, .9]))
    synced = [s.wholes] + [(c, rnd.choice(s.parts)) for c in s.cells]
    for a, b in rnd.sample(synced, len(synced)): s.sync(a, b)
    value = 0
    try:
        for _ in range(3):
            hesitating = []
            for _ in range(rnd.randrange(1, 7)):
                if rnd.random() < .8: value += 1
                k = rnd.randrange(8)
                if k < 3: s.set_lens(rnd.choice(s.parts), value)
                elif k < 5 and s.cells: s.set_cell(rnd.choice(s.cells), value)
                elif k == 5: s.set_whole(rnd.choice(s.wholes), value)
                elif k > 5 and len(hesitating) < 3:
                    if rnd.random() < .5: hesitating.append(s.hesitate_lens(rnd.choice(s.parts), value))
                    elif s.cells: hesitating.append(s.hesitate_cell(rnd.choice(s.cells), value))
                while any(r.mail and not r.isHeld for r in s.regions) and rnd.random() < .5: s.open_one()
                if hesitating and rnd.random() < .4: hesitating.pop(rnd.randrange(len(hesitating)))()
            for late in hesitating: late()
            s.settle()
            if any(a.v != b.v for a, b in [*zip(*(w.parts for w in s.wholes)), *synced[1:]]): return "unequal"
    except Endless: return "endless"
    return None

# trees

def run_trees(rnd, mutant=None):
    s = Net(rnd, mutant, wholes=rnd.randrange(1, 4), parts=4, cells=rnd.randrange(6), p=rnd.choice([0, 0, .3, .8])); synced, linked = [], []
    order = rnd.sample(s.parts + s.cells, min(len(s.parts + s.cells), rnd.randrange(3, 9)))
    for i, b in enumerate(order):
        if i and rnd.random() < .9: (synced if rnd.random() < .4 else linked).append((rnd.choice(order[max(0, i - 2):i]), b))
    return s.tree(order, synced, linked)

# forests

def run_forests(rnd, mutant=None):
    s = Net(rnd, mutant, parts=5, cells=0, p=0); order, linked = rnd.sample(s.parts, 5), []
    for i, b in enumerate(order):
        if i and rnd.random() < .8: linked.append((rnd.choice(order[:i]), b))
    for a, b in rnd.sample(linked, len(linked)): s.wire(a, b)
    try:
        for v in range(1, rnd.randrange(2, 8)):
            s.steps, changed = 0, rnd.sample(order, rnd.choice([1, 1, 1, 3]))
            if len(changed) > 1 or rnd.random() < .3: s.set_by_whole(changed, v)
            else: s.set_lens(changed[0], v)
            if any(a.v != b.v for a, b in linked if b not in changed): return "unequal"
    except Endless: return "endless"
    return None

# rings

def run_rings(rnd, mutant=None):
    s = Net(rnd, mutant, wholes=2, p=rnd.choice([0, 0, .3, .8]))
    isSimple, kind = rnd.random() < .5, rnd.random()
    ends = (s.parts[::2] if isSimple else s.parts) + s.cells; synced = []
    if kind < .2: s.sync(*s.wholes)
    elif kind < .3: s.wire(*s.wholes)
    isSimple = kind >= .3 and (isSimple or kind > .8)
    for _ in range(rnd.randrange(2, 6)):
        a, b = rnd.sample(ends, 2)
        if rnd.random() < .5 or kind > .8: s.sync(a, b); synced.append((a, b))
        else: s.wire(a, b)
    try:
        for v in range(1, rnd.randrange(2, 6)):
            s.steps, n = 0, rnd.choice(ends + s.wholes)
            if isinstance(n, Whole): s.set_whole(n, v)
            elif isinstance(n, Part): s.set_lens(n, v)
            else: s.set_cell(n, v)
            if rnd.random() < .5: s.settle()
        s.settle()
        if isSimple and s.p == 0 and any(a.v != b.v for a, b in synced): return "unequal"
    except Endless: return "endless"
    return None

# nests

def run_nests(rnd, mutant=None):
    s = Net(rnd, mutant, wholes=rnd.choice([2, 2, 3]), parts=3, cells=rnd.randrange(3), p=rnd.choice([0, 0, .3, .8])); a, b, *c = s.wholes
    def nest(outer, v): outer.v = outer.seen = v; return outer
    inA, nested = a.v, nest(b.own[0], a.v); ends, synced, linked = s.cells + b.own[1:], [], []
    inner = lambda outer: [Inner(outer, i) for i in range(3) if rnd.random() < .6]
    if c and rnd.random() < .3: synced.append((nested, nest(c[0].own[0], inA))); ends += inner(rnd.choice(synced[0])) + c[0].own[1:]
    else:
        synced.append((a, nested)); inners = inner(nested) if rnd.random() < .5 else []; taken = {p.place for p in inners}
        ends += [p for i, p in enumerate(a.own) if i not in taken] + inners    # one of two that are synced by what they lie in
        if c:
            whole = rnd.choice([a, b]); synced.append((rnd.choice([a, nested]) if whole is a else b, nest(c[0].own[0], whole.v))); ends += c[0].own[1:]
    s.parts += [p for w in s.wholes for p in w.parts if isinstance(p, Inner)]; s.regions += [p.inlet for p in s.parts if isinstance(p, Inner)]
    order = rnd.sample(ends, min(len(ends), rnd.randrange(2, 6)))
    for i, end in enumerate(order):
        if i and rnd.random() < .9 and (not isinstance(end, Inner) or synced[0][0] is not a):
            (synced if rnd.random() < .3 and not any(isinstance(n, Inner) for n in order) else linked).append((rnd.choice(order[max(0, i - 2):i]), end))
    return s.tree(order, synced, linked)

MUTANTS = ["links of equal values do not count", "numbers at the end", "the whole's version", "partners hear the whole's", "round again", "any tiebreak", "once a whole",
           "what is led back is new", "nothing waits", "wires lead back", "marks stay", "marks come off"]

if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    wrong = False
    for mutant in [None] + MUTANTS:
        found = {}
        for i in range(rounds):
            for law in run, run_wholes, run_trees, run_forests, run_rings, run_nests:
                r = law(random.Random(f"{seed} {i}"), mutant)
                if r: found.setdefault(f"{law.__name__}: {r}", []).append(i)
            if mutant and found: break
        print(mutant or "the rules", {r: (len(i), i[:3]) for r, i in found.items()} or "hold", flush=True)
        if bool(found) != bool(mutant): wrong = True
    sys.exit(wrong)
