"""A browser without a window, in which a page is used as its reader would."""

import base64
import hashlib
import re
import shutil
import subprocess
from html import unescape

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

_RECORDS = """
window.problems = [];
window.addEventListener("error", (event) => problems.push(event.message));
document.addEventListener("securitypolicyviolation", (event) => problems.push(event.violatedDirective));
"""


def found():
    """The browser that is there, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def used(page, folder, reader):
    """What a script, `reader`, which pushes what it sees onto `seen`, finds on a page; and the errors of all scripts."""
    last = f"const seen = []; {reader}; document.title = JSON.stringify({{seen, problems: window.problems}});"
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in (_RECORDS, last)]
    allowed = page.replace("script-src ", "script-src " + "".join([f"'sha256-{h}' " for h in hashes]), 1)
    watched = allowed.replace("<style>", f"<script>{_RECORDS}</script><style>", 1)
    file = folder / "used.html"
    file.write_text(watched.replace("</body>", f"<script>{last}</script></body>"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    line = [found(), *options, f"--user-data-dir={folder / 'profile'}", "--dump-dom", file.as_uri()]
    result = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120)
    return unescape(re.search(r"<title>(.*?)</title>", result.stdout, re.DOTALL)[1])
