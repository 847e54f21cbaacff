"""Contract 19: whoever sends whatever to the address, the program goes on, and tells strangers nothing."""

import concurrent.futures
import http.client
import json
import socket
import subprocess
import time
import unittest

from support import FAULTY, PATIENCE, TOKEN, TOOL, Load, Program, monitor


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = monitor()

    @classmethod
    def tearDownClass(cls):
        cls.program.end()

    def tearDown(self):
        self.assertTrue(self.program.is_running, "the program goes on")
        self.assertEqual(self.program.get("api/hello")["title"], "easyreact monitor", "and answers")

    def ask(self, path=f"/{TOKEN}/api/graph", method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.program.port, timeout=PATIENCE)
        try:
            fields = {"Host": f"127.0.0.1:{self.program.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in fields.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def send(self, data, ends=True):
        """Sends bytes; gives the first line of the answer, empty where the connection was closed."""
        with socket.create_connection(("127.0.0.1", self.program.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(data)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
            except OSError:
                return ""
            return answer.split(b"\r\n")[0].decode()

    def test_19_a_wrong_or_missing_token_is_refused(self):
        self.assertEqual(self.ask()[0], 200)
        for path in ["/", "/api/graph", f"/{TOKEN[:-1]}/api/graph", f"/{TOKEN}x/api/graph", f"/{TOKEN.upper()}/", f"/?token={TOKEN}"]:
            status, body = self.ask(path)
            self.assertEqual(status, 403, path)
            self.assertNotIn(TOKEN.encode(), body)

    def test_19_without_the_token_or_from_elsewhere_everything_is_refused(self):
        everything = ["", "page.js", "page.css", "graph.js", "nothing"] + [f"api/{one}" for one in (
            "hello", "graph", "values", "waves", "wave?number=1", "node?id=1", "why?node=1", "whynot?node=1", "search?text=a", "counts", "lint",
            "difference?from=1&to=2", "export?form=session", "events", "change", "nothing")]
        for path in everything:
            for method in ("GET", "POST"):
                self.assertEqual(self.ask(f"/0{TOKEN[1:]}/{path}", method)[0], 403, path)
                self.assertEqual(self.ask(f"/{TOKEN}/{path}", method, Host="evil.example")[0], 403, path)
                self.assertEqual(self.ask(f"/{TOKEN}/{path}", method, Origin="http://evil.example")[0], 403, path)

    def test_19_each_start_prints_an_address_with_another_random_token(self):
        tokens = set()
        for _ in range(3):
            program = Program([FAULTY, "--inspect"], token=None)
            self.addCleanup(program.end)
            self.assertRegex(program.address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
            self.assertEqual(program.get("api/hello")["title"], "Faulty shop")
            tokens.add(program.token)
        self.assertEqual(len(tokens), 3)

    def test_19_a_foreign_host_or_origin_is_refused(self):
        for headers in [{"Host": "evil.example"}, {"Host": f"evil.example:{self.program.port}"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}]:
            self.assertEqual(self.ask(**headers)[0], 403, headers)

    def test_19_it_listens_on_the_loopback_address_alone(self):
        own = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        for address in own:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with socket.socket(family) as connection:
                connection.settimeout(PATIENCE)
                self.assertNotEqual(connection.connect_ex((address, self.program.port)), 0, address)

    def test_19_it_only_shows(self):
        status, body = self.ask(f"/{TOKEN}/api/change", "POST", Content_Length="0")
        self.assertEqual((status, "allowsChanges" in json.loads(body)["refused"]), (200, True))

    def test_19_what_is_malformed_or_too_large_is_refused(self):
        head = f"GET /{TOKEN}/api/graph HTTP/1.1\r\nHost: 127.0.0.1:{self.program.port}\r\n".encode()
        cases = [
            b"\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff\xfe\xfd\r\n\r\n",
            head + b"A" * 20_000 + b"\r\n\r\n", head + b"A: b\r\n" * 5_000 + b"\r\n", b"G" * 5_000_000,
            head + b"Content-Length: 5000000000\r\n\r\n", head + b"Content-Length: -4\r\n\r\n", head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            head + b"no colon\r\n\r\n", b"PUT " + head[4:] + b"\r\n", head.replace(b"graph", b"../../etc/passwd") + b"\r\n",
        ]
        for data in cases:
            first = self.send(data)
            self.assertNotIn(" 200 ", first, data[:60])
            if first:
                self.assertRegex(first, r"^HTTP/1\.1 4\d\d ", data[:60])

    def test_19_what_makes_no_sense_is_refused_with_words(self):
        for query in ["wave?number=x", "wave?number=99999999999999999999", "wave?number=18446744073709551615", "node?id=-1", "graph?focus=abc",
                      "graph?group=%00", "why?node=18446744073709551615", "export?form=exe", "difference?from=1", "whynot"]:
            status, body = self.ask(f"/{TOKEN}/api/{query}")
            self.assertEqual(status, 200, query)
            self.assertTrue(json.loads(body)["refused"], query)
        # What only looks strange is answered.
        for query in ["graph?focus=18446744073709551615&depth=18446744073709551615", "values?at=18446744073709551615",
                      "difference?from=0&to=18446744073709551615", "search?text=%F0%9F%8D%8E", "graph?toggled=" + "x" * 4000]:
            self.assertEqual(self.ask(f"/{TOKEN}/api/{query}")[0], 200, query)

    def test_19_a_thousand_at_once_and_those_that_never_end(self):
        samples = self.program.get("api/values")
        connections = []
        try:
            for number in range(1000):
                connection = socket.socket()
                connection.settimeout(PATIENCE)
                if connection.connect_ex(("127.0.0.1", self.program.port)) == 0 and number % 2:
                    try:
                        connection.sendall(b"GET / HT")
                    except OSError:
                        pass
                connections.append(connection)
            # The last ones to come find no room, and are told so or sent away.
            self.assertTrue(self.program.is_running)
        finally:
            for connection in connections:
                connection.close()
        again = self.until_answered()
        self.assertEqual(again.keys(), samples.keys())

    def test_19_those_who_are_refused_are_let_in_no_faster_than_the_program_can_bear(self):
        program = Program([FAULTY, "--inspect"], token=None)
        self.addCleanup(program.end)
        began = time.monotonic()

        def stranger(_):
            with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as connection:
                connection.sendall(f"GET /wrong/api/graph HTTP/1.1\r\nHost: 127.0.0.1:{program.port}\r\n\r\n".encode())
                return connection.recv(64)
        with concurrent.futures.ThreadPoolExecutor(16) as crowd:
            answers = list(crowd.map(stranger, range(400)))
        self.assertEqual({one[:12] for one in answers}, {b"HTTP/1.1 403"}, "each is told so, sooner or later")
        # One is counted when it has its answer: of 16 who come again at once, 16 are let in and 16 answered that are not counted yet.
        self.assertGreater(time.monotonic() - began, (400 - 100 - 2 * 16) / 100, "a hundred at once, then a hundred a second")
        # Whoever knows the token has to wait for none of that once they are gone, and is not counted.
        self.assertEqual({program.get("api/hello")["title"] for _ in range(400)}, {"Faulty shop"})

    def until_answered(self):
        for _ in range(1000):
            try:
                return self.program.get("api/values")
            except (OSError, http.client.HTTPException):
                continue
        self.fail("it does not answer any more")

    def test_19_a_reader_that_does_not_read_costs_nothing(self):
        """The stream's buffers fill; the next frame waits, and has everything that came meanwhile once."""
        with socket.create_connection(("127.0.0.1", self.program.port), timeout=PATIENCE) as connection:
            connection.sendall(f"GET /{TOKEN}/api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.program.port}\r\n\r\n".encode())
            self.assertTrue(connection.recv(16).startswith(b"HTTP/1.1 200"))
            before = self.memory()
            for _ in range(100):
                self.program.get("api/values")
            self.assertLess(self.memory() - before, 150_000, "kilobytes")

    def memory(self):
        with open(f"/proc/{self.program.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


class BusyProgram(unittest.TestCase):
    def test_19_a_program_that_is_attacked_goes_on_setting(self):
        program = Load("--nodes", 1000, "--sets", 100)
        self.addCleanup(program.end)
        for round in range(3):
            lines, crowd = len(program.lines), []
            for number in range(1000):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", program.port))
                crowd.append(one)
            for number, one in enumerate(crowd):
                try:
                    one.send([b"GET / HT", b"\0" * 4096 + b"\r\n\r\n", b"G" * 60_000, b"GET / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n"][number % 4])
                except OSError:
                    pass
            # While they are all still there.
            goes_on = program.tells(lines + 2)
            for one in crowd:
                one.close()
            self.assertTrue(goes_on, f"round {round}")
            self.assertGreater(program.lines[-1][1], 0)
        self.assertEqual(program.get("api/hello")["title"], "A crowd")


class SlowProgram(unittest.TestCase):
    def test_19_a_slow_request_is_ended(self):
        program = monitor()
        self.addCleanup(program.end)
        with socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost:")
            # Ten seconds, then it is told so.
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 408"))
        self.assertEqual(program.get("api/hello")["isLive"], True)

    def test_19_a_port_that_is_taken_is_said(self):
        program = monitor()
        self.addCleanup(program.end)
        second = subprocess.run([TOOL, "monitor", "--inspect", str(program.port), "--for", "2s"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn(f"127.0.0.1:{program.port} cannot be served", second.stderr)

    def test_19_a_damaged_or_newer_session_is_refused_with_words(self):
        import tempfile
        for text, words in [("{", "not JSON"), ('{"format":"x","version":1}', "its format is “x”"),
                            ('{"format":"easyreact-session","version":99}', "version 99"),
                            ('{"format":"easyreact-session","version":1,"program":"a","savedSecondsSince1970":1,"records":{}}', "“nodes” is missing at records")]:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                run = subprocess.run([TOOL, "inspect", file.name], capture_output=True, text=True, timeout=PATIENCE)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(words, run.stderr)


if __name__ == "__main__":
    unittest.main()
