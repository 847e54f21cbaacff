"""Runs the browser tests: `N browser checks, M wrong`, and an exit code that says the same."""

import os
import shutil
import sys
import unittest

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)

try:
    import selenium  # noqa: F401
    missing = [] if shutil.which("chromedriver") else ["chromium-driver"]
except ImportError:
    missing = ["selenium"]
if missing:
    print(f"left out: {', '.join(missing)} is not installed (Scripts/setup.sh)", file=sys.stderr)
    sys.exit(0)

names = sys.argv[1:]
loader = unittest.TestLoader()
loader.testNamePatterns = [f"*{name}*" for name in names] or None
result = unittest.TextTestRunner(verbosity=2).run(loader.discover(folder, "test_*.py"))
wrong = len(result.failures) + len(result.errors)
print(f"{result.testsRun} browser checks, {wrong} wrong")
sys.exit(1 if wrong or result.testsRun == 0 else 0)
