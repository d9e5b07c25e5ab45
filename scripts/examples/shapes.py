"""Compares two sets of examples by their members and types; values may differ."""

KINDS = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "object", type(None): "null"}


def differences(stored, told):
    """What has changed since the stored examples, in sentences."""
    faults = [f"{name}: is not in the file" for name in told if name not in stored]
    faults += [f"{name}: is in the file, but not in the document" for name in stored if name not in told]
    for name in told:
        if name in stored:
            before, now = shape(stored[name]), shape(told[name])
            faults += [f"{name}: in the file, {place}" for place in sorted(before - now)]
            faults += [f"{name}: in the service, {place}" for place in sorted(now - before)]
    return faults


def shape(value, place=""):
    """Every member with its type, wherever in a list it is."""
    found = {f"{place or 'the exchange'} is {KINDS[type(value)]}"}
    if isinstance(value, dict):
        for name, one in value.items():
            found |= shape(one, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for one in value:
            found |= shape(one, f"{place}[]")
    return found
