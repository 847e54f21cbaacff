"""What the browser tests share: programs that serve a page, and a browser that shows it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOOL = os.environ.get("EASYREACT_TOOL", f"{ROOT}/Tools/.build/debug/easyreact")
FAULTY = os.environ.get("EASYREACT_FAULTY", f"{ROOT}/Examples/.build/debug/Faulty")
LOAD = os.environ.get("EASYREACT_LOAD", f"{ROOT}/Tools/.build/debug/InspectorLoad")
PICTURES = os.environ.get("EASYREACT_PICTURES")
TOKEN = "browsertests0123456789"
# A busy machine may take its time; what is waited for comes at once on an idle one.
PATIENCE = 60


class Program:
    """A program with a page, from its start to its end."""

    def __init__(self, arguments, token=TOKEN):
        environment = dict(os.environ)
        environment.pop("EASYREACT_INSPECTOR_TOKEN", None)
        if token:
            environment["EASYREACT_INSPECTOR_TOKEN"] = token
        # The address comes on one of both; the other output is thrown away.
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in self.process.stdout:
            found = re.search(r"Inspector: (http://127\.0\.0\.1:(\d+)/(\w+)/)", line.decode())
            if found:
                self.address, self.port, self.token = found[1], int(found[2]), found[3]
                break
        else:
            raise AssertionError(f"{arguments} told no address")
        self.watch(self.process.stdout)

    def watch(self, stream):
        """What it tells after its address is thrown away."""
        drain = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.DEVNULL)
        stream.close()
        self.reader = threading.Thread(target=drain.wait)
        self.reader.start()

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def id_of(self, label):
        nodes = self.get("api/search?text=" + urllib.parse.quote(label))["nodes"]
        return next(node["id"] for node in nodes if node["label"] == label)

    @property
    def is_running(self):
        return self.process.poll() is None

    def end(self):
        if self.is_running:
            self.process.terminate()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)


class Load(Program):
    """A graph of any size that is set all the time; it says each second how often, and in how much processor time."""

    def __init__(self, *arguments):
        self.lines, self.told = [], threading.Condition()
        super().__init__([LOAD, *map(str, arguments)])

    def watch(self, stream):
        def read():
            for line in stream:
                found = re.match(rb"sets (\d+) seconds ([\d.]+) processor ([\d.]+)", line)
                if found:
                    with self.told:
                        self.lines.append((time.monotonic(), *map(float, found.groups())))
                        self.told.notify_all()
        self.reader = threading.Thread(target=read)
        self.reader.start()

    def tells(self, count):
        """Whether it says at least so many lines in all; waits for them, as long as one may."""
        with self.told:
            return self.told.wait_for(lambda: len(self.lines) >= count, PATIENCE)


def monitor(port=0, token=TOKEN, interval="100ms"):
    return Program([TOOL, "monitor", "--inspect", str(port), "--interval", interval], token)


class PageTest(unittest.TestCase):
    """A browser of its own, and no message in its console."""

    dark = False
    # A message that the browser itself writes when a program has ended, and nothing can prevent.
    may_fail_to_connect = False

    def setUp(self):
        options = Options()
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, True)
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,900",
                         "--disable-dev-shm-usage", f"--user-data-dir={folder}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.addCleanup(self.driver.quit)
        if self.dark:
            self.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def tearDown(self):
        messages = [entry for entry in self.driver.get_log("browser")
                    if not (self.may_fail_to_connect and "ERR_" in entry["message"])]
        self.assertEqual(messages, [], "the console is to stay empty")

    def start(self, program):
        self.addCleanup(program.end)
        return program

    def open(self, address):
        self.driver.get("about:blank")
        self.driver.get(address)
        self.until(lambda: self.text("mode") not in ("", "Connecting"), "the page never began")

    def until(self, condition, message="it did not come about"):
        return WebDriverWait(self.driver, PATIENCE, 0.05, (Exception,)).until(lambda _: condition(), message)

    def text(self, element):
        return self.driver.find_element(By.ID, element).text

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        """Once it is there and stands still: the page may just be drawing it."""
        self.until(lambda: self.one(selector).click() is None, f"{selector} is not there to be clicked")

    def node(self, label):
        """The box of a node, once it is drawn."""
        def find():
            return next((one for one in self.all(".node") if one.find_element(By.CSS_SELECTOR, ".label").text == label), None)
        return self.until(find, f"no node “{label}” is drawn")

    def value(self, label):
        """The whole of a node's value, as a screen reader tells it: on the screen it may be cut."""
        words = self.node(label).get_attribute("aria-label")
        return re.search(r", (?:value |event )?([^,]+)(?:, can be set)?(?:, \d+ listeners?)?$", words)[1]

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def picture(self, name):
        """For a person to look at, and for the documents."""
        if PICTURES:
            self.driver.save_screenshot(f"{PICTURES}/{name}.png")
