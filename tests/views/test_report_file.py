# SPDX-License-Identifier: MIT
"""The HTML page as a file: nothing of a log is markup, one script, one style, and long things are cut."""

import base64
import hashlib
import json
import re
from html import unescape

from bootlab.views.run import page as html
from bootlab.views.run.page_data import LINES_LIMIT, page_data
from tests.views import report_sample as sample


def element(page: str, start: str) -> str:
    return page[page.index(start) + len(start) : page.index("</script>", page.index(start))]


def test_no_text_of_a_log_is_markup():
    results, recording = sample.hostile()
    page = html.render(results, {"b45e": recording})
    assert page.lower().count("<script") == 2
    assert page.lower().count("</script") == 2
    assert "<img" not in page
    assert "<!--" not in page
    data = element(page, '<script type="application/json" id="data">')
    assert not re.search("[<>&\u2028\u2029\x00\x1b]", data)
    lines = [text for _number, _ns, text in json.loads(data)["base"]["console"]["lines"]]
    assert lines[0] == "</script><script>alert(1)</script>"
    assert lines[5] == "{{ 7*7 }} {% raw %}"
    assert lines[9].endswith("98000 more characters")
    assert len(page) < 2_000_000


def test_the_policy_names_the_one_script_and_the_one_style():
    page = html.render(sample.results())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    script = page[page.rindex("<script>") + 8 : page.rindex("</script>")]
    style = page[page.index("<style>") + 7 : page.index("</style>")]
    for text in (script, style):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"sha256-{digest}" in unescape(policy[1])
    assert unescape(policy[1]).startswith("default-src 'none'")
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", script + style)
    assert "innerHTML" not in script


def test_long_consoles_and_long_lanes_are_cut_and_say_so():
    results = sample.results("boot", initcalls=6000)
    data = page_data(results, {"b45e": sample.recording(LINES_LIMIT + 10)})
    console = data["base"]["console"]
    assert (len(console["lines"]), console["total"]) == (LINES_LIMIT, LINES_LIMIT + 11)
    lane = data["base"]["diagnostic"][0]["lanes"][0]
    assert (len(lane["spans"]), lane["cut"]) == (5000, 1000)
