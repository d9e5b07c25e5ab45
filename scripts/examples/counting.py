"""Counting: a session of two people, from its plan to the corrected stock, and counts from a table."""

import time

from examples.files import table


def take_stock(plant):
    session = plan(plant)
    count(plant, session)
    review(plant, session)
    look(plant.admin, session)
    tables(plant.admin)


def plan(plant):
    admin = plant.admin
    shares = [
        {"user_key": "luca", "targets": [{"target_key": "rack-a", "include_children": True}]},
        {"user_key": "mira", "targets": [{"target_key": "rack-b", "include_children": False}]},
    ]
    hall = {
        "code": "COUNT-7",
        "description": "Hall 1, all racks",
        "notes": "Both gates stay closed",
        "type": "position",
        "blind_quantities": True,
        "blind_serials": True,
        "scheduled_start": f"{plant.day(1)}T05:00:00.000Z",
        "scheduled_end": f"{plant.day(1)}T13:00:00.000Z",
        "extra": {"auditor": "Lind & Partners"},
    }
    made = admin.call("POST /inventory/count-session", {"count_session": hall, "assignments": shares})["detail"]
    session = made["count_session_key"]
    change = {"description": "Hall 1, racks A and B", "scheduled_end": f"{plant.day(1)}T15:00:00.000Z"}
    admin.call("PUT /inventory/count-session/{session_key}", change, session_key=session)
    more = [
        {"inventory_count_session_key": session, "target_key": "box-7", "target_type": "position", "notes": "Weigh the oil"},
        {"inventory_count_session_key": session, "target_key": "hall-1", "assigned_to": "mira", "include_children": False},
    ]
    admin.call("POST /inventory/count-assignment", more)
    mine = {"inventory_count_session_key": session, "assigned_to": "mira", "order_by": "position"}
    [hall, _] = admin.call("GET /inventory/count-assignment", query=mine)
    admin.call("DELETE /inventory/count-assignment", {"assignment_keys": [hall["_key"]]})
    dropped = {"count_session": {"code": "COUNT-8", "type": "product"}, "assignments": []}
    dropped = admin.call("POST /inventory/count-session", dropped)["detail"]["count_session_key"]
    admin.call("DELETE /inventory/count-session", query={"counting_session_key": dropped})
    return session


def count(plant, session):
    """Luca counts rack A with the box in it; Mira rack B, and what Luca has counted once more."""
    admin, luca, mira = plant.admin, plant.luca, plant.mira
    admin.event("COUNT_SESSION_STARTED", count_session_key=session)
    assigned = admin.call("GET /inventory/count-session/{session_key}", session_key=session)["assignments"]
    rack_a = assigned["luca"][0]["_key"]
    luca.event("ASSIGNMENT_STARTED", assignment_key=rack_a)
    at_rack_a = {"count_session_key": session, "assignment_key": rack_a, "position_key": "rack-a"}
    begun = luca.event("COUNT_STARTED", **at_rack_a, product_key="cv-10")["count_record_key"]
    luca.event("COUNT_COMPLETED", count_key=begun, count_qt=17, notes="One lay in the aisle")
    [unit] = admin.call("GET /inventory", query={"serial_search": "EN-0101"})
    begun = luca.event("COUNT_STARTED", **at_rack_a, product_key="encoder")["count_record_key"]
    luca.event("COUNT_COMPLETED", count_key=begun, count_serial_keys=[unit["serial_key"]])
    oil = {"count_session_key": session, "product_key": "oil-46", "position_key": "box-7"}
    begun = luca.event("COUNT_STARTED", **oil)["count_record_key"]
    luca.event("COUNT_CANCELED", count_key=begun, description="The scale was in use")
    begun = luca.event("COUNT_STARTED", **oil)["count_record_key"]
    luca.event("COUNT_COMPLETED", count_key=begun, count_qt=6.8)
    [shelf] = admin.call("GET /position", query={"search": "H1-A-01-1"})
    empty = {"position_key": shelf["_key"], "notes": "Swept"}
    luca.event("POSITION_CONFIRMED_EMPTY", count_session_key=session, **empty)
    luca.event("ASSIGNMENT_COMPLETED", assignment_key=rack_a)
    for position, quantity in (("rack-b", 7), ("rack-a", 16)):
        valves = {"count_session_key": session, "product_key": "cv-10", "position_key": position}
        plant.second_count = mira.event("COUNT_STARTED", **valves)["count_record_key"]
        mira.event("COUNT_COMPLETED", count_key=plant.second_count, count_qt=quantity)
    admin.call("GET /inventory/count-position-status", query={"session_key": session, "parent_key": "hall-1"})
    admin.call("GET /inventory/count-session/{session_key}/completed-positions", session_key=session)


def review(plant, session):
    admin = plant.admin
    admin.event("COUNT_SESSION_COMPLETED", count_session_key=session)
    admin.event("COUNT_SESSION_RESUMED", count_session_key=session, description="Rack A is counted again")
    admin.event("COUNT_SESSION_COMPLETED", count_session_key=session)
    admin.event("COUNT_DISCARDED", count_key=plant.second_count)
    admin.event("COUNT_SESSION_CONFIRMED", count_session_key=session)
    until = time.monotonic() + 60
    while admin.call("GET /inventory/count-session/{session_key}", session_key=session)["status"] != "applied":
        if time.monotonic() > until:
            raise SystemExit("Stock was not corrected in time")
        time.sleep(0.05)


def look(admin, session):
    """When all is done, so that the examples show all there is."""
    applied = admin.call("GET /inventory/count-session/{session_key}", session_key=session, keep=True)
    admin.call("GET /inventory/count-session", query={"search": "COUNT-*", "status": ["applied"]})
    admin.call("GET /inventory/count-session/{session_key}/processed-records", session_key=session)
    admin.call("GET /inventory/count-record", query={"count_session_key": session, "include_discarded": False})
    admin.call("GET /inventory/snapshot/{snapshot_key}", snapshot_key=applied["post_adjustment_snapshot_key"])


def tables(admin):
    """Counts on paper: faults, then the two steps of a good import, an export, and the end of the session."""
    made = admin.call("POST /inventory/count-session", {"count_session": {"code": "COUNT-9", "type": "position"}})
    session = made["detail"]["count_session_key"]
    admin.event("COUNT_SESSION_STARTED", count_session_key=session)
    admin.event("COUNT_SESSION_COMPLETED", count_session_key=session)
    json_only = {"Accept": "application/json"}
    first = {"dry_run": True, "count_session_key": session, "import_mode": "update"}
    header = "position_code,product_code,counted_qt,serial_code"
    bad = table("counts.csv", header, "H1-A,CV-10,some,", "H9,CV-10,4,", "H1-B,CV-10,7,EN-0101")
    admin.call("POST /inventory/count-record/import", form=first | {"file": bad}, headers=json_only)
    good = table("counts.csv", header, "H1-A,CV-10,12,", "H1-A,CV-10,5,", "H1-B,CV-10,7,")
    checked = admin.call("POST /inventory/count-record/import", form=first | {"file": good}, headers=json_only, keep=True)
    admin.call("POST /inventory/count-record/import", form={"dry_run": False, "file_key": checked["file_key"]})
    admin.call("GET /inventory/count-record/export", query={"count_session_key": session, "format": "csv"})
    admin.event("COUNT_SESSION_CANCELED", count_session_key=session, description="Entered twice")
