"""The rules by which a lens, its whole and its partners agree (decisions 0006 and 0014), executable, slow and plain.

    python3 Tests/Model/lens_model.py [SEED] [ROUNDS]     also runs the mutants: each leaves one rule out, and has to be found.
                                                          Exit code 1: a law is broken, or a mutant was not found.

A whole W has two parts, x and y. L is the lens of x, and lies in W's region; I is its inlet; partners are synced with L: each is told by
L, under the part's version, and leads to I, which leads to W. A source may be linked to L (it leads to I), and a partner may follow y
besides, which closes a cycle that a wave can go round. Each region is free, or held by a thread that is inside: then what comes is left,
and opened in order; who is inside is thrown with dice. A thread may lose its processor between its number and its claim.
Laws: it comes to quiet; then L and its partners are equal, unless one follows y too; and where neither a link nor such a thread brings
something late, the last set of x and of partners stays.
"""
import random, sys
from collections import deque

class Endless(Exception): pass

class Region:
    """What one thread at a time may touch: what comes while somebody is inside is left in the mail; while the node tells its value, in its queue."""
    def __init__(s): s.mail, s.queue, s.isHeld, s.isBusy = deque(), deque(), False, False
    def do(s, op, waited):
        s.isBusy = True; op(waited)
        while s.queue: s.queue.popleft()(True)
        s.isBusy = False

class Cell(Region):                              # an inlet or a partner
    def __init__(s): super().__init__(); s.v, s.version = 0, (0, 0)

class Net:
    def __init__(s, rnd, mutant=None, partners=2, hasSource=False, follows=False, p=.5):
        s.rnd, s.mutant, s.p, s.last, s.steps = rnd, mutant, p, 1, 0
        s.W, s.x, s.y, s.wversion = Region(), 0, 0, (0, 0)
        s.part, s.seen = (0, 0), 0               # the version of x: PartVersion; its value then
        s.I, s.partners = Cell(), [Cell() for _ in range(partners)]
        s.hasSource, s.follows, s.regions = hasSource, follows, [s.W, s.I] + s.partners

    def new(s): s.last += 1; return s.last
    def sequence(s): return s.new() << 1 | 1

    def bring(s, region, op):                    # now, or left with the thread that is inside
        s.steps += 1
        if s.steps > 600: raise Endless
        if region.isBusy: region.queue.append(op)
        elif region.isHeld or region.mail or s.rnd.random() < s.p: region.mail.append(op)
        else: region.do(op, False)

    def open_one(s):
        region = s.rnd.choice([r for r in s.regions if r.mail and not r.isHeld])
        region.do(region.mail.popleft(), True)

    def settle(s):
        while any(r.mail for r in s.regions):
            s.open_one(); s.steps += 1
            if s.steps > 600: raise Endless

    # numbers: `assignVersion`
    def assign(s, present, n, t, filtered, waited, isSet):
        if filtered: return n, s.sequence() if waited and t & 1 == 0 else t
        if waited and not isSet: return s.new(), 0
        if present < (n, t): return n, t
        return (present[0], s.sequence()) if isSet else (s.new(), 0)

    # partners
    def set_partner(s, c, v):
        n = s.new(); s.bring(c, lambda waited: s.store_partner(c, v, n, 0, False, waited, True))

    def store_partner(s, c, v, n, t, filtered, waited, isSet=False):
        if filtered and c.version >= (n, t): return
        c.version = s.assign(c.version, n, t, filtered, waited, isSet); c.v = v
        n, t = c.version
        s.bring(s.I, lambda waited: s.store_inlet(v, n, t, True, waited))      # this half leads back

    # the inlet, and the way from there to the whole
    def link(s, v):                              # a plain edge from the source
        n = s.new(); s.bring(s.I, lambda waited: s.store_inlet(v, n, 0, False, waited))

    def store_inlet(s, v, n, t, bySync, waited):
        if bySync and s.I.version >= (n, t): return
        s.I.version = s.assign(s.I.version, n, t, bySync, waited, False); s.I.v = v
        n, t = s.I.version
        s.bring(s.W, lambda waited: s.put(v, n, t, bySync, waited))

    def put(s, v, n, t, bySync, waited):
        if bySync:
            if s.part >= (n, t): return
            if s.wversion[0] == n and (s.mutant == "never again" or s.mutant != "round again" and s.wversion >= (n, t)): return
        s.x = v
        if bySync: s.part = n, t
        elif s.mutant != "links of equal values do not count" or v != s.seen: s.note_set(n)
        s.tell(n, t if bySync else t & ~1, crossed=bySync)

    def note_set(s, n):
        s.part = (n, 0) if n > s.part[0] else (s.part[0], s.sequence())

    # the whole: sets of the lens, of the other part, and of both
    def set_lens(s, v):
        n = s.new(); s.bring(s.W, lambda waited: s.change(v, n, waited))

    def change(s, v, n, waited):
        s.x = v
        if s.mutant != "the whole's version": s.note_set(n)
        s.tell(n, 0)

    def set_whole(s, v):
        n = s.new(); s.bring(s.W, lambda waited: s.change_whole(v, n, waited))
    def change_whole(s, v, n, waited): s.x = s.y = v; s.tell(n, 0, isOfWhole=True)

    def set_other(s, v):
        n = s.new(); s.bring(s.W, lambda waited: s.change_other(v, n, waited))
    def change_other(s, v, n, waited): s.y = v; s.tell(n, 0)

    def update(s, change, v):                    # whose closure takes its time: who comes meanwhile leaves a message
        n = s.new()
        if s.W.isHeld or s.W.mail: s.bring(s.W, lambda waited: change(v, n, waited)); return None
        s.W.isHeld = True
        def end():
            s.W.isHeld = False
            number = s.new() if s.mutant == "numbers at the end" else n
            s.W.do(lambda waited: change(v, number, waited), False)
        return end

    def hesitate(s, change, v):                  # a thread that loses its processor between its number and the claim
        n = s.new(); return lambda: s.bring(s.W, lambda waited: change(v, n, waited))

    def tell(s, n, t, crossed=False, isOfWhole=False):                 # W stores, L is told, and so are its partners, under the part's version
        s.wversion = s.assign(s.wversion, n, t, False, False, True)
        if (isOfWhole or s.mutant == "the whole's version") and s.x != s.seen: s.part = s.wversion
        s.seen = s.x
        pn, pt = s.wversion if s.mutant == "partners hear the whole's" else s.part
        x, y, (wn, wt) = s.x, s.y, s.wversion
        for c in s.partners: s.bring(c, lambda waited, c=c: s.store_partner(c, x, pn, pt, True, waited))
        if s.follows:                            # an ordinary edge from y
            c = s.partners[0]; s.bring(c, lambda waited: s.store_partner(c, y, wn, wt if crossed else wt & ~1, crossed, waited))

def run(rnd, mutant=None):
    s = Net(rnd, mutant, partners=rnd.randrange(1, 3), hasSource=rnd.random() < .4, follows=rnd.random() < .3, p=rnd.choice([0, .2, .5, .9]))
    value, isPunctual = 0, True
    try:
        for _ in range(3):
            lastSet, end, hesitating = None, None, None
            for _ in range(rnd.randrange(1, 7)):
                if rnd.random() < .8: value += 1       # sets of what is there already count too
                k = rnd.randrange(11)
                if k < 2: s.set_lens(value); lastSet = value
                elif k < 4: s.set_partner(rnd.choice(s.partners), value); lastSet = value
                elif k == 4 and s.hasSource: s.link(value); lastSet = value
                elif k == 5: s.set_other(value)
                elif k == 6 and not end: end = s.update(s.change_other, value)
                elif k == 7 and not end: end = s.update(s.change, value); lastSet = value
                elif k == 8: s.set_whole(value); lastSet = value
                elif k == 9 and not hesitating: hesitating = s.hesitate(rnd.choice([s.change, s.change_other, s.change_whole]), value); isPunctual = False
                while any(r.mail and not r.isHeld for r in s.regions) and rnd.random() < .5: s.open_one()
                if end and rnd.random() < .4: end(); end = None
                if hesitating and rnd.random() < .4: hesitating(); hesitating = None
            if hesitating: hesitating()
            if end: end()
            s.settle()
            cells = [s.x] + [c.v for c in s.partners]
            if s.follows: continue               # the second part, or what the partner follows: only the end of it is promised
            if len(set(cells)) > 1: return "unequal"
            if lastSet is not None and isPunctual and not s.hasSource and cells[0] != lastSet: return "the last set is lost"
    except Endless: return "endless"
    return None

MUTANTS = ["links of equal values do not count", "numbers at the end", "the whole's version", "partners hear the whole's", "round again", "never again"]

if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    wrong = False
    for mutant in [None] + MUTANTS:
        found = {}
        for i in range(rounds):
            r = run(random.Random(f"{seed} {i}"), mutant)
            if r: found.setdefault(r, []).append(i)
            if mutant and found: break
        print(mutant or "the rules", {r: (len(i), i[:3]) for r, i in found.items()} or "hold", flush=True)
        if bool(found) != bool(mutant): wrong = True
    sys.exit(wrong)
