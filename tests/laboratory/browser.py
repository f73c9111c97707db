# SPDX-License-Identifier: MIT
"""Chromium without a window, by the DevTools protocol over a pipe (https://chromedevtools.github.io/devtools-protocol/)."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

WAIT_SECONDS = 120


class Browser:
    """One page. `errors` collects what its console complained about, `requests` what it asked of others than files."""

    def __init__(self, folder):
        self.program = shutil.which("chromium") or shutil.which("chromium-browser")
        assert self.program, "chromium is missing: tools/install-deps brings it"
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "bash", self.program, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
             "--disable-dev-shm-usage", "--disable-background-networking", "--user-data-dir=" + folder, "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=folder))
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.errors, self.requests, self.session = b"", 0, [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        finally:
            os.close(self.out)
            os.close(self.into)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready = select.select([self.into], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, "the browser does not answer"
            more = os.read(self.into, 1 << 16)
            assert more, "the browser has ended"
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def notice(self, message):
        method, details = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(details["exceptionDetails"]["exception"].get("description", str(details)))
        elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.errors.append(str([value.get("value") for value in details["args"]]))
        elif method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
            self.errors.append(details["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = details["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.requests.append(url)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.notice(answer)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, path, dark=False, width=1240, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="file://" + path)
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def wait(self, condition):
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, "this did not come: %s; errors: %s" % (condition, self.errors)
            time.sleep(0.1)

    def choose(self, identity, value):
        self.evaluate("""(() => { const element = document.getElementById(%s); element.value = %s;
            element.dispatchEvent(new Event("input")); element.dispatchEvent(new Event("change")); })()"""
                      % (json.dumps(identity), json.dumps(value)))

    def screenshot(self, path, whole=True):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"] if not whole else \
            self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=dict(
                x=0, y=0, width=1240, height=min(6000, self.evaluate("document.documentElement.scrollHeight")), scale=1))["data"]
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(picture))
