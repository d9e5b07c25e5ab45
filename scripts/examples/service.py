"""The service on an empty folder, and somebody who calls it."""

import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

ADMIN_PASSWORD = "correct horse battery"
# Few, so that the refusal comes soon.
FAILURES = 3
BOUNDARY = "a-part-of-the-form"


def document_of(binary):
    return json.loads(subprocess.run([binary, "openapi"], check=True, stdout=subprocess.PIPE).stdout)


class Unexpected(Exception):
    """An answer that the story does not allow for."""


@contextlib.contextmanager
def running(binary):
    """Gives host and port of the service. Its log is shown when something goes wrong."""
    # Settings of whoever runs this must not show in the examples.
    foreign = {name: value for name, value in os.environ.items() if not name.startswith("TRACEWRIGHT_")}
    settings = {
        "TRACEWRIGHT_ADMIN_PASSWORD": ADMIN_PASSWORD,
        "TRACEWRIGHT_LOGIN_MAX_FAILURES": str(FAILURES),
        "TRACEWRIGHT_LOG": "warn",
        # Callers then come from addresses of their own.
        "TRACEWRIGHT_TRUSTED_PROXIES": "127.0.0.1/32",
    }
    with tempfile.TemporaryDirectory(prefix="tracewright-examples.") as folder, open(f"{folder}/log", "w") as log:
        server = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", f"{folder}/data"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folder,
            env=foreign | settings,
        )
        try:
            greeting = server.stdout.readline()
            if not greeting:
                sys.exit(f"The service did not start:\n{Path(log.name).read_text()}")
            yield urllib.parse.urlsplit(greeting.split()[-1]).netloc
        except Unexpected:
            print(Path(log.name).read_text(), file=sys.stderr)
            raise
        finally:
            server.terminate()
            ended = server.wait(60)
        if ended != 0:
            sys.exit(f"The service ended with {ended}:\n{Path(log.name).read_text()}")


class File:
    """A file of a form."""

    def __init__(self, name, content):
        self.name, self.content = name, content


class Caller:
    """Somebody who calls the service from a device of their own."""

    def __init__(self, base, exchanges, address, device):
        self.base, self.exchanges, self.address, self.device, self.token = base, exchanges, address, device, None
        self.connection = http.client.HTTPConnection(base, timeout=60)

    def signed_in(self, username, password, keep=False):
        """Signs in, and opens the session unless a password has to be chosen first. Gives the user's key."""
        form = {"grant_type": "password", "username": username, "password": password}
        answer = self.call("POST /auth", form=form, keep=keep)
        self.token = answer["access_token"]
        user_key = answer["detail"]["user_key"]
        if answer["detail"]["action"] == "start_session":
            self.call("POST /session", {"user_key": user_key}, keep=keep)
        return user_key

    def call(self, operation, body=None, *, form=None, query=None, headers=None, keep=False, shorten=False, **path):
        """Sends a request, which has to succeed, and gives the answer. The first exchange of an operation is its example, or the
        one to `keep`; `shorten` cuts long lists in the example."""
        status, answer = self.send(operation, body, form, query, headers, path)
        if not 200 <= status < 300:
            raise Unexpected(f"{operation} {path} answered {status}: {answer}\nto {body or form}")
        self.exchanges.add(operation, body, form, answer, keep, shorten)
        return answer

    def refused(self, kind, operation, body=None, *, form=None, query=None, headers=None, **path):
        """Sends a request, which has to be refused with the status that the kind begins with."""
        status, answer = self.send(operation, body, form, query, headers, path)
        if str(status) != kind[:3]:
            raise Unexpected(f"{operation} answered {status}, not {kind}: {answer}")
        self.exchanges.add_refusal(kind, status, answer)

    def event(self, event_type, keep=False, **members):
        return self.call("POST /event", {"event_type": event_type} | members, keep=keep)["detail"]

    def overhear(self, operation, query, **path):
        """Reads an answer that does not end by itself, up to its first message."""
        listener = Caller(self.base, self.exchanges, self.address, self.device)
        listener.token = self.token
        answer = listener.begin(operation, None, None, query, None, path)
        if answer.status != 200:
            raise Unexpected(f"{operation} {path} answered {answer.status}: {answer.read()}")
        while not answer.readline().startswith(b"data: "):
            pass
        listener.connection.close()
        self.exchanges.add(operation, None, None, b"", keep=False, shorten=False)

    def send(self, operation, body, form, query, headers, path):
        answer = self.begin(operation, body, form, query, headers, path)
        text = answer.read()
        if answer.getheader("Content-Type", "").startswith("application/json"):
            return answer.status, json.loads(text)
        return answer.status, text

    def begin(self, operation, body, form, query, headers, path):
        """Sends a request, and gives the answer as it begins."""
        method, address = self.exchanges.address(operation)
        address = address.format(**{name: urllib.parse.quote(value, safe="") for name, value in path.items()})
        if query:
            address += "?" + urllib.parse.urlencode(texts(query))
        sent = {"User-Agent": self.device, "X-Forwarded-For": self.address} | (headers or {})
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        content = None
        if form is not None:
            sent["Content-Type"], content = multipart(form) if self.exchanges.is_multipart(operation) else url_encoded(form)
        elif body is not None:
            sent["Content-Type"], content = "application/json", json.dumps(body).encode()
        self.connection.request(method, address, content, sent)
        return self.connection.getresponse()


def url_encoded(form):
    return "application/x-www-form-urlencoded", urllib.parse.urlencode(texts(form)).encode()


def multipart(form):
    content = b""
    for name, value in texts(form):
        content += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        if isinstance(value, File):
            content += f'; filename="{value.name}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode() + value.content
        else:
            content += f"\r\n\r\n{value}".encode()
        content += b"\r\n"
    return f"multipart/form-data; boundary={BOUNDARY}", content + f"--{BOUNDARY}--\r\n".encode()


def texts(members):
    """Names and values as queries and forms have them: a list is repeated, and true is written in lower case."""
    repeated = {name: value if isinstance(value, list) else [value] for name, value in members.items()}
    pairs = [(name, one) for name, values in repeated.items() for one in values]
    return [(name, json.dumps(one) if isinstance(one, bool) else one) for name, one in pairs]
