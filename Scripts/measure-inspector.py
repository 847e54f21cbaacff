"""Measures what no test times: the page of a large graph, and what a page, or an attack, costs the program.

    swift build -c release --package-path Tools --product InspectorLoad
    python3 Scripts/measure-inspector.py page [NODES] [SETS]   # first picture, a fold, a scrub, frames a second
    python3 Scripts/measure-inspector.py cost                  # sets of a thread: recorder alone, and with an open page
    python3 Scripts/measure-inspector.py attack                # the same, attacked, and with an attack on somebody else
    python3 Scripts/measure-inspector.py memory [MINUTES]      # the monitor with its page open

The setting thread stays on processor 0 and attackers on processor 1 (taskset), so what is measured is what the program
loses to its own server, not to the attackers' use of the machine. Rounds alternate; a ratio is the median of the
ratios of neighbouring rounds, with their quartiles. What the program's other threads take of a processor is told too: at
most so much can be lost, and a busy machine does not blur it.
"""

import os
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Browser"))
import support  # noqa: E402
from support import ROOT, Load, PageTest, monitor  # noqa: E402

support.LOAD = os.environ.get("EASYREACT_LOAD", f"{ROOT}/Tools/.build/release/InspectorLoad")

class Pinned(Load):
    def pin(self):
        """The setting thread, the busiest one, stays on processor 0."""
        tasks = f"/proc/{self.process.pid}/task"

        def ticks(task):
            with open(f"{tasks}/{task}/stat") as file:
                return int(file.read().rsplit(")", 1)[1].split()[11])

        self.setter = max(os.listdir(tasks), key=ticks)
        os.sched_setaffinity(int(self.setter), {0})

    def others(self):
        """Processor seconds of all threads but the setting one, the server's."""
        tasks, seconds = f"/proc/{self.process.pid}/task", 0
        for task in os.listdir(tasks):
            try:
                with open(f"{tasks}/{task}/schedstat") as file:
                    seconds += int(file.read().split()[0]) / 1e9 if task != self.setter else 0
            except OSError:
                pass
        return seconds

    def rate(self, seconds):
        """Sets a second, sets a processor second, and how much of a processor the other threads take, from now on."""
        began = time.monotonic() + 1.1
        time.sleep(1.1)
        others = self.others()
        time.sleep(seconds + 0.1)
        share = (self.others() - others) / (time.monotonic() - began)
        lines = [line for line in self.lines if line[0] >= began]
        sets, wall, processor = (sum(line[place] for line in lines) for place in (1, 2, 3))
        return sets / wall, sets / processor, share


class Browser(PageTest):
    def runTest(self):
        pass

    def tearDown(self):
        pass

    def wait_js(self, body):
        self.driver.set_script_timeout(120)
        return self.driver.execute_async_script("const done = arguments[0];" + body)


IMPORT = "import('./state.js').then(async ({ state }) => { const frame = () => new Promise(requestAnimationFrame); "


def page(nodes=10_000, sets=500):
    browser = Browser()
    browser.setUp()
    program = Load("--nodes", nodes, "--sets", sets)
    try:
        time.sleep(3)
        browser.driver.get(program.address)
        first = browser.wait_js("const look = () => document.querySelector('.node') ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 2); look();")
        print(f"first picture {first:.0f} ms, {len(browser.all('.node'))} boxes")
        time.sleep(2)
        print("footer:", browser.text("counts-line"))
        fold = IMPORT + """
            const before = state.drawn, start = performance.now();
            document.querySelector('#groups button').click();
            while (state.drawn === before) await frame();
            await frame(); done([performance.now() - start, document.querySelectorAll('.node').length]); });"""
        print("unfold and fold:", [f"{took:.0f} ms, {boxes} boxes" for took, boxes in (browser.wait_js(fold) for _ in range(6))])
        all_open = IMPORT + """
            const select = document.getElementById('folding');
            const before = state.drawn, start = performance.now();
            select.value = arguments[1] ?? 'none'; select.dispatchEvent(new Event('change'));
            while (state.drawn === before) await frame();
            await frame(); done([performance.now() - start, document.querySelectorAll('.node').length]); });"""
        frames(browser, "folded")
        took, boxes = browser.wait_js(all_open)
        print(f"all unfolded {took:.0f} ms, {boxes} boxes; {browser.text('counts-line')}")
        frames(browser, "unfolded")
        scrub = IMPORT + """
            const old = state.wave?.row.number, drawn = state.drawn, start = performance.now();
            document.getElementById('earlier-wave').click();
            while (state.wave?.row.number === old || state.drawn === drawn) await frame();
            await frame(); done(performance.now() - start); });"""
        print("steps of the scrubber, unfolded:", [f"{browser.wait_js(scrub):.0f} ms" for _ in range(8)])
        browser.one("#live").click()
        took, boxes = browser.wait_js(all_open.replace("'none'", "'auto'"))
        print(f"folded again {took:.0f} ms, {boxes} boxes")
        print("steps of the scrubber, folded:", [f"{browser.wait_js(scrub):.0f} ms" for _ in range(8)])
        browser.one("#live").click()
        select = IMPORT + """
            const { emit } = await import('./state.js'); const before = state.drawn, start = performance.now();
            emit('focus', { id: '505', direction: 'both' });
            while (state.drawn === before) await frame();
            await frame(); done([performance.now() - start, document.querySelectorAll('.node').length]); });"""
        took, boxes = browser.wait_js(select)
        print(f"focus {took:.0f} ms, {boxes} boxes")
        frames(browser, "focus")
        print("program:", program.lines[-1])
    finally:
        program.end()
        browser.doCleanups()


def frames(browser, name):
    body = IMPORT + """
        const events = state.events, began = performance.now(); let count = 0, longest = 0, last = began, told = 0, known = state.frame;
        while (last - began < 5000) { await frame(); const now = performance.now(); longest = Math.max(longest, now - last); last = now; count += 1;
          if (state.frame !== known) { told += 1; known = state.frame; } }
        done([count / 5, longest, told / 5, (state.events - events) / 5]); });"""
    count, longest, told, events = browser.wait_js(body)
    print(f"{name}: {count:.0f} frames a second, the longest {longest:.0f} ms; told of {told:.1f} times a second, {events:.0f} events a second")


def ratios(name, off, on, rounds=10, seconds=4):
    """Rounds of both, in turns; each gives (a second, a processor second, the other threads' share)."""
    walls, processors, shares = [], [], []
    before = off(seconds)
    for _ in range(rounds):
        during = on(seconds)
        after = off(seconds)
        base = [(one + other) / 2 for one, other in zip(before, after)]
        walls.append(during[0] / base[0])
        processors.append(during[1] / base[1])
        shares.append(during[2])
        before = after
    for unit, values in (("sets a second, to those without", walls), ("sets a processor second, to those without", processors),
                         ("of a processor, the other threads", shares)):
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        print(f"{name}: {unit}: {median:.3f} (quartiles {low:.3f} and {high:.3f}, {rounds} rounds)", flush=True)


class Reader:
    """A page that is open, as the program sees it: it reads the stream."""

    def __init__(self, program):
        self.bytes = 0
        self.socket = socket.create_connection(("127.0.0.1", program.port))
        self.socket.sendall(f"GET /{program.token}/api/events HTTP/1.1\r\nHost: 127.0.0.1:{program.port}\r\n\r\n".encode())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while piece := self.socket.recv(1 << 20):
                self.bytes += len(piece)
        except OSError:
            pass

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def cost(sets=0, nodes=100):
    program = Pinned("--nodes", nodes, "--sets", sets)

    def opened(seconds):
        reader = Reader(program)
        result = program.rate(seconds)
        reader.close()
        return result
    try:
        time.sleep(2)
        program.pin()
        print("recorder alone: %.0f sets a second, %.0f a processor second" % program.rate(4)[:2])
        ratios("with an open page", program.rate, opened)
    finally:
        program.end()


ATTACK = """
import socket, sys, time
port, token = int(sys.argv[1]), sys.argv[2]
head = b'GET /%s/api/graph HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n' % (token.encode(), port)
bad = [b'\\x00' * 100 + b'\\r\\n\\r\\n', b'GET\\r\\n\\r\\n', b'G' * 200_000, head + b'A' * 20_000 + b'\\r\\n\\r\\n', head + b'A: b\\r\\n' * 5_000 + b'\\r\\n',
       head + b'Content-Length: 5000000000\\r\\n\\r\\n', b'GET / HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n', head[:20], head]
number = 0
while True:
    crowd = []
    for _ in range(1000):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(('127.0.0.1', port))
        crowd.append(one)
    time.sleep(0.02)
    for one in crowd:
        number += 1
        try: one.send(bad[number % len(bad)])
        except OSError: pass
    time.sleep(0.2)
    for one in crowd:
        one.close()
"""


def attack(rounds=10):
    program = Pinned("--nodes", 100, "--sets", 0)
    # In the other rounds the same attackers knock at a door that nobody opens: they need as much of the machine.
    decoy = socket.create_server(("127.0.0.1", 0), backlog=64)

    def attacked(port):
        def measure(seconds):
            one = subprocess.Popen(["taskset", "-c", "1", sys.executable, "-c", ATTACK, str(port), program.token])
            try:
                return program.rate(seconds)
            finally:
                one.kill()
                one.wait()
        return measure
    try:
        time.sleep(2)
        program.pin()
        ratios("attacked", attacked(decoy.getsockname()[1]), attacked(program.port), rounds)
        ratios("attacked, to no attackers at all", program.rate, attacked(program.port), rounds)
        print("still answers:", program.get("api/hello")["title"])
    finally:
        program.end()


def memory(minutes=10):
    def kilobytes(pid):
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Rss"))
    browser = Browser()
    browser.setUp()
    program = monitor()
    try:
        browser.driver.get(program.address)
        browser.until(lambda: len(browser.all(".node")) == 147)
        for second in range(0, int(minutes * 60) + 1, 30):
            browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            heap = browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 1e6
            elements = browser.driver.execute_script("return document.querySelectorAll('*').length")
            print(f"{second:4} s: program {kilobytes(program.process.pid) / 1e3:.1f} MB, page {heap:.2f} MB, {elements} elements, {browser.text('counts-line')}", flush=True)
            time.sleep(30)
        print("console:", browser.driver.get_log("browser"))
    finally:
        program.end()
        browser.doCleanups()


if __name__ == "__main__":
    {"page": page, "cost": cost, "attack": attack, "memory": memory}[sys.argv[1]](*(int(one) for one in sys.argv[2:]))
