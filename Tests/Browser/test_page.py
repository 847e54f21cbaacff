"""Contract 19, the page as it is used: in a real browser, with real programs."""

import json
import tempfile
import unittest
import urllib.request

from support import FAULTY, TOOL, By, Keys, Load, PageTest, Program, monitor


class Following(PageTest):
    def test_19_the_page_shows_the_graph_of_the_monitor_and_follows_it(self):
        program = self.start(monitor())
        self.open(program.address)
        self.until(lambda: len(self.all(".node")) == 147, "147 nodes")
        self.assertEqual(len(self.all(".edge")), len(program.get("api/graph")["edges"]))
        self.assertEqual(self.text("mode"), "Live")
        before = self.until(lambda: self.value("unix time"))
        self.until(lambda: self.value("unix time") != before, "the value of a node follows the program")
        first = self.until(lambda: self.one("#waves [data-wave]").get_attribute("data-wave"))
        self.until(lambda: self.one("#waves [data-wave]").get_attribute("data-wave") != first, "new waves are listed")
        self.picture("monitor")

    def test_19_no_two_boxes_overlap_on_the_screen(self):
        program = self.start(monitor())
        self.open(program.address)
        self.until(lambda: len(self.all(".node")) == 147)
        overlaps = self.driver.execute_script("""
            const boxes = [...document.querySelectorAll('.node rect')].map((one) => one.getBoundingClientRect());
            return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
        """)
        self.assertEqual(overlaps, 0)

    def test_19_a_group_folds_and_unfolds(self):
        program = self.start(monitor())
        self.open(program.address)
        self.until(lambda: len(self.all(".node")) == 147)
        group = '#groups [data-group="MonitorKit/Watch.swift"]'
        self.click(group)
        self.until(lambda: len(self.all(".node")) == 147 - 78 + 1, "78 nodes became one")
        self.assertEqual(self.one(group).get_attribute("aria-expanded"), "false")
        self.picture("folded")
        self.click(group)
        self.until(lambda: len(self.all(".node")) == 147)

    def test_19_a_wave_of_the_past_shows_the_values_as_they_were(self):
        program = self.start(monitor())
        self.open(program.address)
        # In one step, for the list goes on.
        number = self.until(lambda: self.driver.execute_script('''
            const row = [...document.querySelectorAll("#waves [data-wave]")].find(one => one.innerText.includes("unix time"));
            row.click();
            return row.dataset.wave;
        '''))
        self.until(lambda: self.text("mode").startswith(f"Wave {number}"))
        then = self.value("unix time")
        account = program.get(f"api/wave?number={number}")
        stored = next(one["event"] for one in account["events"] if one["event"]["kind"] == "stored")
        self.assertEqual(then, stored["new"]["text"])
        self.assertIn(f"wave={number}", self.driver.current_url)
        self.assertTrue(self.all(".node.hit"), "what the wave reached is marked")
        # The program goes on; the picture of the past does not.
        events = self.text("counts-line")
        self.until(lambda: self.text("counts-line") != events)
        self.assertEqual(self.value("unix time"), then)
        self.picture("scrubbed")
        self.click("#live")
        self.until(lambda: self.text("mode") == "Live" and self.value("unix time") != then)

    def test_19_an_address_leads_to_a_wave_and_a_node(self):
        program = self.start(monitor())
        self.open(program.address)
        number = self.until(lambda: self.one("#waves [data-wave]").get_attribute("data-wave"))
        node = program.id_of("health")
        self.open(f"{program.address}#wave={number}&node={node}")
        self.until(lambda: self.text("mode").startswith(f"Wave {number}"))
        self.until(lambda: "health" in self.one("#panel h2").text)
        self.until(lambda: self.one(".node.selected .label").text == "health")

    def test_19_the_page_survives_a_restart_of_the_program(self):
        self.may_fail_to_connect = True
        first = self.start(monitor())
        self.open(first.address)
        self.until(lambda: len(self.all(".node")) == 147)
        first.end()
        self.until(lambda: self.text("mode") == "The program has ended")
        self.assertEqual(len(self.all(".node")), 147, "what it told stays")
        second = self.start(monitor(port=first.port))
        self.assertEqual(second.address, first.address)
        self.until(lambda: self.text("mode") == "Live", "it follows the program again")
        self.until(lambda: self.text("said") == "The program was started again.")
        before = self.until(lambda: self.value("unix time"))
        self.until(lambda: self.value("unix time") != before)


class Asking(PageTest):
    """The shop with three faults."""

    def setUp(self):
        super().setUp()
        self.program = self.start(Program([FAULTY, "--inspect"], token=None))
        self.open(self.program.address)

    def ask_why_not(self, label):
        self.node(label).click()
        self.click("#tab-whynot")
        self.until(lambda: self.all("#panel .card"), "an answer")

    def test_19_a_join_that_waits_for_an_empty_node_is_explained_in_two_clicks(self):
        self.ask_why_not("total")
        self.assertIn("another upstream has no value: discount", self.text("panel").replace("\n", " "))
        self.picture("whynot")
        # The third leads to the culprit.
        self.click('#panel .card li [data-node="%d"]' % self.program.id_of("discount"))
        self.until(lambda: self.one(".node.selected .label").text == "discount")
        # It says why that one is empty: nobody set it. Its card is one key away, and sets it.
        self.until(lambda: self.one("#panel h2").text == "Why discount was not told")
        self.press("c")
        self.until(lambda: self.one("#panel h2").text == "discount" and self.one("#new-value"))

    def test_19_a_filter_that_refuses_is_explained_in_two_clicks(self):
        self.ask_why_not("orders")
        self.assertIn("stock is low (Filter): its operator refused it", self.text("panel"))

    def test_19_a_listener_whose_owner_died_is_explained_in_two_clicks(self):
        self.ask_why_not("receipt")
        self.assertIn("It arrived here, but nobody listens.", self.text("panel"))
        self.assertIn("A listener made at Faulty/Shop.swift:", self.text("panel"))

    def test_19_why_leads_from_the_value_to_the_set(self):
        self.node("receipt").click()
        self.click("#tab-why")
        self.until(lambda: self.all("#panel .step.set"), "the set at the root")
        steps = [one.text for one in self.all("#panel .step")]
        self.assertIn("set count", steps[0])
        self.assertIn("3 → 6", steps[1].replace("count ", ""))
        self.assertIn("3 pieces → 6 pieces", steps[-1])
        self.picture("why")

    def test_19_a_value_is_set_from_the_page_where_that_is_allowed(self):
        self.node("discount").click()
        field = self.until(lambda: self.one("#new-value"))
        field.send_keys("2")
        self.click("#set-value")
        self.until(lambda: self.value("total") == "22", "4 × 6 − 2")
        field = self.until(lambda: self.one("#new-value"))
        field.clear()
        field.send_keys("two")
        self.click("#set-value")
        self.until(lambda: "“two” is no Int." in self.text("said"))

    def test_19_lint_counts_and_changes_are_shown(self):
        self.click("#tab-counts")
        self.until(lambda: len(self.all("#panel tbody tr")) == 9, "a row for each node")
        self.click("#tab-difference")
        self.until(lambda: self.one("#mark-moment")).click()
        self.until(lambda: "Made (0)" in self.text("panel"))
        self.click("#tab-lint")
        self.until(lambda: self.all('#panel [data-rule="neverHeard"]'), "the receipt that nobody hears is found")
        self.picture("lint")

    def test_19_changes_between_two_moments_are_told(self):
        self.node("discount").click()
        self.click("#tab-difference")
        self.until(lambda: self.one("#mark-moment")).click()
        self.until(lambda: "Changed (0)" in self.text("panel"))
        self.click("#tab-node")
        self.until(lambda: self.one("#new-value")).send_keys("2")
        self.click("#set-value")
        self.until(lambda: self.value("total") == "22")
        self.click("#tab-difference")
        self.until(lambda: "empty → 22" in self.text("panel"))
        self.assertIn("empty → 2", self.text("panel"))

    def test_19_a_wave_is_played_event_by_event(self):
        self.press("[")
        self.until(lambda: self.text("mode").startswith("Wave "))
        end = self.value("count")
        account = self.all("#account [data-sequence]")
        self.assertGreaterEqual(len(account), 3)
        self.press("p")
        seen = set()

        def playing():
            now = self.all("#account .now")
            seen.update(one.get_attribute("data-sequence") for one in now)
            return self.text("play") == "Play slowly" and seen
        self.until(playing, "the replay ends")
        self.assertGreaterEqual(len(seen), 3, "events are shown one by one")
        self.assertEqual(self.value("count"), end, "after it all is as the wave left it")

    def test_19_pinned_nodes_have_lanes_of_marbles(self):
        for label in ["count", "receipt"]:
            self.node(label).click()
            self.press("m")
        self.until(lambda: len(self.all("#lanes .name")) == 2, "two lanes")
        lanes = [one.get_attribute("aria-label") for one in self.all("#lanes [role=listitem]")]
        self.assertEqual(lanes, ["count: 1, 3, 6", "receipt: 0 pieces, 1 pieces, 3 pieces, 6 pieces"])
        self.picture("lanes")

    def test_19_an_address_leads_to_a_focus(self):
        self.open(f"{self.program.address}#focus={self.program.id_of('total')}&direction=up")
        self.until(lambda: len(self.all(".node")) == 5, "total and the four that lead to it")
        self.assertIn("what leads to total", self.text("focus-line"))

    def test_19_nothing_is_loaded_from_anywhere_else(self):
        self.node("total").click()
        loaded = self.driver.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
        self.assertGreater(len(loaded), 5)
        self.assertEqual([one for one in loaded if not one.startswith((self.program.address, "data:"))], [])
        # Nor could anything be: the page's own rules forbid it.
        refused = self.driver.execute_async_script("""
            const done = arguments[0];
            document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));
            fetch('http://127.0.0.1:9/').catch(() => {});
        """)
        self.assertEqual(refused, "connect-src")
        self.driver.get_log("browser")

    def test_19_in_a_narrow_window(self):
        self.driver.set_window_size(420, 860)
        self.node("total").click()
        self.until(lambda: self.all("#panel dl"))
        wide = self.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(*wide)
        outside = self.driver.execute_script("""
            return [...document.querySelectorAll('header > *, #tabs button, #time-head > *, #tools > *')].filter((one) => {
              const box = one.getBoundingClientRect();
              return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !one.matches('.skip');
            }).map((one) => one.id || one.tagName);
        """)
        self.assertEqual(outside, [], "everything that can be used is in the window")
        self.assertGreater(self.one("#canvas").rect["height"], 150)
        self.picture("narrow")

    def test_19_by_keyboard_alone(self):
        """From the address to why not, a wave and back, without a pointer."""
        self.press("/", "total", Keys.NULL)
        self.until(lambda: self.all("#found [role=option]"))
        self.press(Keys.ENTER)
        self.until(lambda: self.one(".node.selected .label").text == "total")
        self.press(Keys.ARROW_LEFT)
        self.until(lambda: self.one(".node.selected .label").text == "price, count, discount")
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("data-id"), self.one(".node.selected").get_attribute("data-id"))
        self.press("n")
        self.until(lambda: "has no value" in self.text("panel"))
        self.press("u")
        self.until(lambda: len(self.all(".node")) == 4, "the focus")
        self.press("a")
        self.until(lambda: len(self.all(".node")) == 9)
        self.press("[")
        self.until(lambda: self.text("mode").startswith("Wave "))
        self.press("[")
        self.press(Keys.ESCAPE)
        self.until(lambda: self.text("mode") == "Live")
        self.press("m")
        self.until(lambda: self.all("#lanes svg"), "a lane")
        self.press("?")
        self.until(lambda: self.one("#help").get_attribute("open") is not None)
        self.press(Keys.ESCAPE)
        self.until(lambda: self.one("#help").get_attribute("open") is None)

    def test_19_a_screen_reader_finds_names_and_roles(self):
        self.node("total")
        tree = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        found = {(one.get("role", {}).get("value"), one.get("name", {}).get("value")) for one in tree if not one.get("ignored")}
        self.assertIn(("button", "total, Map, empty, 1 listener"), found)
        self.assertIn(("button", "count, Source, value 6, can be set"), found)
        for expected in [("tab", "Why not"), ("listbox", "Waves, the newest first"), ("heading", "Waves")]:
            self.assertIn(expected, found)
        buttons = [name for role, name in found if role in ("button", "tab", "combobox", "slider")]
        self.assertNotIn("", buttons, "everything that can be used has a name")

    def test_19_exports(self):
        def get(form):
            with urllib.request.urlopen(f"{self.program.address}api/export?form={form}", timeout=60) as answer:
                return answer.read().decode()
        self.assertTrue(get("dot").startswith("digraph"))
        self.assertTrue(get("mermaid").startswith("flowchart LR"))
        self.assertEqual(len([one for one in json.loads(get("json"))["nodes"] if "gone" not in one]), 9)
        self.assertEqual(json.loads(get("session"))["format"], "easyreact-session")
        self.assertIn("@Test func", get("test"))
        svg = self.driver.execute_async_script("""
            const done = arguments[0];
            import('./graph.js').then((graph) => done(graph.svgFile()));
        """)
        self.assertIn("<svg", svg)
        self.assertIn(">total<", svg)


class Owned(PageTest):
    """Three groups of nodes, each shown by a board of its own."""

    def labels(self, selector):
        """At once: the page goes on drawing."""
        return self.driver.execute_script("return [...document.querySelectorAll(arguments[0] + ' .label')].map((one) => one.textContent);", selector)

    def test_19_nodes_are_grouped_by_the_owner_that_they_live_for(self):
        program = self.start(Load("--nodes", 300, "--sets", 20))
        self.open(program.address)
        self.click("#grouping option[value=owner]")
        self.click("#folding option[value=all]")
        # Folded by what they were grouped by before, the nodes are three boxes for a moment too.
        self.until(lambda: [label[:7] for label in self.labels(".node")] == ["Board #"] * 3, "a box for each board")
        boards = sorted(self.labels(".node.group"))
        self.assertEqual(len(boards), 3)
        self.assertEqual(len(set(boards)), 3)
        self.picture("owners")
        # One unfolds: its own nodes beside the other two boards.
        self.click(f'#groups [data-group="{boards[0]}"]')
        self.until(lambda: len(self.all(".node")) == 109 + 2, "the nodes of one board")
        labels = {one.split("/")[0] for one in self.labels(".node:not(.group)") if one.startswith("sensor")}
        self.assertEqual(len(labels), 1, "they are of one sensor")
        # The card says whom a node lives for, and whose a listener is.
        last = program.id_of(f"{labels.pop()}/sum 9")
        self.open(f"{program.address}#node={last}")
        self.until(lambda: f"Lives for\n{boards[0]}" in self.text("panel"))
        self.assertIn(f"lives with {boards[0]}", self.text("panel"))


class Private(PageTest):
    """Contract 18.7: a private node's values are nowhere, in no answer and on no part of the page."""

    SECRET = 867530947114
    HIDDEN = ("password", "pin", "typed", "copy")
    # Looks at all that the page shows from its beginning, be it for a moment.
    WATCH = """
        window.shown = [];
        const look = (node) => { for (const text of [node.outerHTML, node.data]) if (text?.includes('%d')) window.shown.push(text); };
        new MutationObserver((changes) => changes.forEach((one) => { look(one.target); one.addedNodes.forEach(look); }))
          .observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    """ % SECRET

    def answers(self, program):
        """All that can be asked, and what the program says to it."""
        def get(path):
            with urllib.request.urlopen(f"{program.address}api/{path}", timeout=60) as answer:
                return answer.read().decode()
        waves = json.loads(get("waves"))["waves"]
        named = [program.id_of(one) for one in (*self.HIDDEN, "length", "waits")]
        paths = ["hello", "graph", "values", "waves", "counts", "lint", f"values?at={waves[-1]['last']}", f"difference?from={waves[0]['first']}&to={waves[-1]['last']}"]
        paths += [f"graph?fold=all&group={one}" for one in ("file", "line", "name", "type", "kind", "part", "none")]
        paths += [f"export?form={one}" for one in ("dot", "mermaid", "json", "session", "test")]
        paths += [f"search?text={one}" for one in ("password", "private", self.SECRET)]
        paths += [f"wave?number={one['number']}&else=newest" for one in waves[-8:]]
        paths += [f"{one}={node}" for one in ("node?id", "why?node", "whynot?since=0&node") for node in named]
        return {path: get(path) for path in paths}

    def expect_hidden(self, program):
        self.open(program.address)
        for label in self.HIDDEN:
            # An event is not kept.
            expected = "empty" if label == "typed" else "private"
            self.until(lambda: self.value(label) == expected, f"{label} is shown as {expected}")
        for label in (*self.HIDDEN, "length", "waits"):
            self.node(label).click()
            self.press("m")
            for tab in ("why", "whynot", "node"):
                self.click(f"#tab-{tab}")
                self.until(lambda: label in self.one("#panel h2").text)
        for tab, known in (("lint", ".card"), ("counts", "tbody tr"), ("difference", "#mark-moment")):
            self.click(f"#tab-{tab}")
            self.until(lambda: self.all(f"#panel {known}"))
        self.until(lambda: len(self.all("#lanes .name")) == 6, "a lane for each")
        self.press("[")
        self.until(lambda: self.all("#account [data-sequence]"), "a wave in full")
        self.until(lambda: "private" in self.text("waves"), "the waves of private nodes are listed")
        self.one("#search").send_keys(str(self.SECRET))
        self.until(lambda: self.one("#search").get_attribute("aria-expanded") == "true")
        self.assertEqual(self.all("#found [role=option]"), [])
        shown = self.driver.execute_async_script("""
            const done = arguments[0];
            import('./graph.js').then((graph) => done([...window.shown, document.documentElement.outerHTML, graph.svgFile()]));
        """)
        self.assertIn(">password<", shown[-1])
        self.assertEqual([one[:300] for one in shown if str(self.SECRET) in one], [])
        self.picture("private")

    def test_18_7_the_values_of_private_nodes_are_nowhere(self):
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": self.WATCH})
        program = self.start(Load("--nodes", 100, "--sets", 20, "--secret", self.SECRET))
        self.assertTrue(program.tells(2))
        answers = self.answers(program)
        self.assertEqual([path for path, text in answers.items() if str(self.SECRET) in text], [])
        self.assertIn('"form":"private"', answers["values"])
        self.assertIn("refused", answers["export?form=test"], "nobody can write what was set")
        with urllib.request.urlopen(f"{program.address}api/events", timeout=60) as stream:
            told = b"".join(stream.readline() for _ in range(30)).decode()
        self.assertIn('"form":"private"', told)
        self.assertNotIn(str(self.SECRET), told)
        self.expect_hidden(program)
        # So that it does not look for a program that has ended.
        self.driver.get("about:blank")
        program.end()
        # Nor in what was saved, and is opened without the program.
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(answers["export?form=session"].encode())
            file.flush()
            saved = self.start(Program([TOOL, "inspect", file.name]))
            self.assertEqual([path for path, text in self.answers(saved).items() if str(self.SECRET) in text], [])
            self.expect_hidden(saved)


class Crowded(PageTest):
    """Ten thousand nodes, made in one file, and some hundred thousand events a second."""

    def test_19_ten_thousand_nodes_and_a_hundred_thousand_events_a_second(self):
        program = self.start(Load("--nodes", 10_000, "--sets", 400))
        self.open(program.address)
        self.until(lambda: len(self.all(".node.group")) == 100, "a group for each sensor")
        self.assertLess(len(self.all(".node")), 300)
        # What cannot be shown is counted and said.
        self.until(lambda: "dropped by the recorder" in self.text("counts-line"))
        self.until(lambda: "not listed" in self.text("not-listed"))
        # One group unfolds, by keyboard too, and folds again.
        boxes = len(self.all(".node"))
        chip = '#groups [data-group="sensor 7"]'
        self.until(lambda: self.all(chip))
        self.click(chip)
        self.until(lambda: len(self.all(".node")) == boxes + 108, "its 109 nodes")
        self.click(chip)
        self.until(lambda: len(self.all(".node")) == boxes)
        # All at once are too many: so many are drawn, and the others counted.
        self.click("#folding option[value=none]")
        self.until(lambda: len(self.all(".node")) == 1200)
        self.assertIn("1,200 of 10,900 nodes shown", self.text("counts-line"))
        # A step back in time: what is listed may be gone, then the newest wave that is kept is shown.
        self.click("#earlier-wave")
        self.until(lambda: self.text("mode").startswith("Wave "))
        self.click("#live")
        self.until(lambda: self.text("mode") == "Live")
        self.picture("crowd-unfolded")
        self.click("#folding option[value=auto]")
        self.until(lambda: len(self.all(".node")) == boxes)
        self.picture("crowd")
        # Any of them is found, and shown with what leads to it.
        self.one("#search").send_keys("sensor 42/3.4")
        self.until(lambda: self.all("#found [role=option]"))
        self.one("#search").send_keys(Keys.ENTER)
        self.until(lambda: "sensor 42/3.4" in self.one("#panel h2").text)
        self.press("u")
        self.until(lambda: len(self.all(".node")) == 6, "the chain up to its source")
        first = self.value("sensor 42/3.4")
        self.until(lambda: self.value("sensor 42/3.4") != first, "its value goes on")
        # And the program does.
        lines = len(program.lines)
        self.until(lambda: len(program.lines) > lines)
        self.assertGreater(program.lines[-1][1], 0)


class Dark(PageTest):
    dark = True

    def test_19_light_and_dark(self):
        """Text stands out against its ground, in both: 4.5 to 1 at least (WCAG 2.2, 1.4.3)."""
        program = self.start(Program([FAULTY, "--inspect"], token=None))
        self.open(program.address)
        self.node("total").click()
        self.until(lambda: self.all("#panel dl"))
        self.assertEqual(self.ratios_below(4.5), [])
        dark = self.one("body").value_of_css_property("background-color")
        self.picture("dark")
        self.click("#theme")
        self.assertNotEqual(self.one("body").value_of_css_property("background-color"), dark)
        self.assertEqual(self.ratios_below(4.5), [])

    def ratios_below(self, least):
        return self.driver.execute_script("""
            const channel = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
            const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
            const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
            const ground = (element) => {
              for (let one = element; one; one = one.parentElement) {
                const color = numbers(getComputedStyle(one).backgroundColor);
                if (color.length < 4 || color[3] > 0) return color;
              }
              return numbers(getComputedStyle(document.body).backgroundColor);
            };
            const faint = [];
            for (const element of document.querySelectorAll('header *, #panel *, #time *, footer, #tools *')) {
              const own = [...element.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
              if (!own || !element.offsetParent || element.matches('option')) continue;
              const [a, b] = [luminance(numbers(getComputedStyle(element).color)), luminance(ground(element))];
              const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (ratio < arguments[0]) faint.push(`${element.tagName} ${element.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
            }
            for (const text of document.querySelectorAll('.node text')) {
              const [a, b] = [luminance(numbers(getComputedStyle(text).fill)), luminance(numbers(getComputedStyle(text.parentElement.querySelector('rect')).fill))];
              const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (ratio < arguments[0]) faint.push(`node ${text.textContent}: ${ratio.toFixed(2)}`);
            }
            return faint;
        """, least)


class Saved(PageTest):
    def saved(self, running):
        """What the page of a program saves, opened when that has ended."""
        with urllib.request.urlopen(f"{running.address}api/export?form=session", timeout=60) as answer:
            data = answer.read()
        # A page that is still open asks on, and the browser writes into its console that nobody answers.
        self.driver.get("about:blank")
        running.end()
        file = tempfile.NamedTemporaryFile(suffix=".json")
        self.addCleanup(file.close)
        file.write(data)
        file.flush()
        return self.start(Program([TOOL, "inspect", file.name]))

    def test_19_a_saved_session_opens_in_the_same_page(self):
        running = self.start(monitor())
        self.open(running.address)
        self.until(lambda: len(self.all(".node")) == 147)
        saved = self.saved(running)
        self.open(saved.address)
        self.until(lambda: self.text("mode") == "Saved session")
        self.until(lambda: len(self.all(".node")) == 147)
        self.node("health").click()
        self.click("#tab-why")
        self.until(lambda: self.all("#panel .step.set"))
        self.picture("session")

    def test_19_a_saved_session_is_linted_as_its_program_was(self):
        running = self.start(Program([FAULTY, "--inspect"], token=None))
        findings = running.get("api/lint")["findings"]
        self.assertIn("neverHeard", [one["rule"] for one in findings])
        saved = self.saved(running)
        self.assertEqual(saved.get("api/lint")["findings"], findings)
        self.open(saved.address)
        self.click("#tab-lint")
        self.until(lambda: self.all('#panel [data-rule="neverHeard"]'))
        self.assertEqual(self.text("left-out"), "Not looked for, since only the running program knows: ringHeldByItself, ownerIsGone, looseTransform.")
        # A finding leads to its node.
        self.click('#panel [data-rule="neverHeard"] button')
        self.until(lambda: self.one("#panel h2").text == "receipt")


if __name__ == "__main__":
    unittest.main()
