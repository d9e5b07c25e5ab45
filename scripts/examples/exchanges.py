"""The exchanges that become examples: one of each operation, of every type of event the request with the most members, and one
refusal of each kind."""

import copy

SENDS_EVENTS = "POST /event"
# Entries of a list that an example shows, if it is shortened.
SHOWN = 3
# In place of secrets: of the same form, and of no use.
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJhbiI6ImV4YW1wbGUifQ.not-a-signature-but-as-long-as-one-really-is"
INVENTED = {
    "access_token": TOKEN,
    "ticket": TOKEN,
    "temp_psw": "aTemporaryOne234",
    "secret": "not-the-secret-that-signs-but-as-long-as-one-that-is-made-for-it",
}


class Exchanges:
    def __init__(self, document):
        self.document = document
        self.operations = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                if "operationId" in operation:
                    self.operations[f"{method.upper()} {path}"] = operation
        self.examples, self.marked, self.events, self.refusals = {}, set(), {}, {}

    def address(self, operation):
        """Method and path as they are sent."""
        if operation not in self.operations:
            raise SystemExit(f"The document has no {operation}, which the story calls")
        method, path = operation.split()
        levels = (self.operations[operation], self.document["paths"][path], self.document)
        [place, *_] = next(level["servers"] for level in levels if "servers" in level)
        return method, place["url"].rstrip("/") + path

    def is_multipart(self, operation):
        return "multipart/form-data" in self.operations[operation]["requestBody"]["content"]

    def add(self, operation, body, form, answer, keep, shorten):
        if operation == SENDS_EVENTS and len(body) > len(self.events.get(body["event_type"], {})):
            self.events[body["event_type"]] = copy.deepcopy(body)
        if operation in self.marked and keep:
            raise SystemExit(f"Two exchanges of {operation} are marked to be kept")
        if operation in self.examples and not keep:
            return
        if keep:
            self.marked.add(operation)
        example = {}
        if form is not None:
            example["form"] = {name: shown_part(value) for name, value in form.items()}
        elif body is not None:
            example["request"] = copy.deepcopy(body)
        if not isinstance(answer, bytes):
            example["answer"] = shown(answer, SHOWN if shorten else None)
        self.examples[operation] = example

    def add_refusal(self, kind, status, answer):
        self.refusals[kind] = {"status": status, "answer": answer}

    def missing(self):
        """What the story left out."""
        operations = [operation for operation in self.operations if operation not in self.examples]
        types = [f"{SENDS_EVENTS} of type {name}" for name in sorted(self.types() - self.events.keys())]
        return operations + types

    def types(self):
        """The types of events that clients may send."""
        found = set()
        content = self.operations[SENDS_EVENTS]["requestBody"]["content"]
        schemas = [content["application/json"]["schema"]]
        while schemas:
            schema = schemas.pop()
            if reference := schema.get("$ref"):
                schemas.append(self.document["components"]["schemas"][reference.split("/")[-1]])
            schemas += schema.get("oneOf", []) + schema.get("anyOf", []) + schema.get("allOf", [])
            named = schema.get("properties", {}).get("event_type", {})
            found |= {named["const"]} if "const" in named else set(named.get("enum", []))
        return found

    def kept(self):
        """The content of the file, sorted by operation id."""
        examples = {self.operations[operation]["operationId"]: example for operation, example in self.examples.items()}
        events = {name: self.events[name] for name in sorted(self.events)}
        sends_events = self.operations[SENDS_EVENTS]["operationId"]
        examples[sends_events] = {"requests": events} | examples[sends_events]
        examples["_errors"] = {kind: self.refusals[kind] for kind in sorted(self.refusals)}
        return {name: examples[name] for name in sorted(examples)}

    def count(self):
        return len(self.examples)


def shown(value, limit):
    """A value of an answer without secrets, its lists cut at the limit."""
    if isinstance(value, dict):
        return {name: INVENTED[name] if name in INVENTED else shown(one, limit) for name, one in value.items()}
    if isinstance(value, list):
        return [shown(one, limit) for one in value[:limit]]
    return value


def shown_part(value):
    """A part of a form; of a file only the name."""
    if isinstance(value, list):
        return [shown_part(one) for one in value]
    return f"<{value.name}>" if hasattr(value, "content") else value
