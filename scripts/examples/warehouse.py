"""The warehouse: its positions, one by one and from a table, and what is moved between them."""

from examples.files import table


def furnish(plant):
    positions(plant.admin)
    tables(plant.admin)
    read(plant.admin)
    move(plant.admin)
    deliver(plant)
    look(plant.admin)


def positions(admin):
    hall = {"_key": "hall-1", "code": "H1", "extra": {"temperature": "18-24 C"}}
    admin.call("POST /position", hall)
    for key, code in (("rack-a", "H1-A"), ("rack-b", "H1-B")):
        admin.call("POST /position", {"_key": key, "code": code, "parent_position_key": "hall-1"}, keep=key == "rack-a")
    box = {"_key": "box-7", "code": "BOX-7", "parent_position_key": "rack-a", "fixed": False}
    admin.call("POST /position", box)
    admin.call("POST /position", {"_key": "coating", "code": "COATING", "parent_position_key": "OUT", "owned": False})
    admin.call("PATCH /position/{position_key}", {"parent_position_key": "rack-b"}, position_key="box-7")
    admin.call("POST /position", {"_key": "trolley", "code": "TR-1", "fixed": False, "disposable": True})
    admin.call("DELETE /position/{position_key}", position_key="trolley")
    tag = {"type": "add", "tag_key": "spare", "context": "position", "context_key": "rack-b"}
    admin.call("POST /tag/update-connections", [tag])


def tables(admin):
    """Faults, then the two steps of a good import, and an export."""
    json_only = {"Accept": "application/json"}
    bad = table("shelves.csv", "code,parent_code,fixed", "H1-A-01,H1-A,perhaps", "H1-A-02,H9,yes")
    admin.call("POST /position-import", form={"dry_run": True, "file": bad}, headers=json_only)
    good = table("shelves.csv", "code,parent_code,allow_consumption", "H1-A-01-1,H1-A-01,no", "H1-A-01,H1-A,")
    checked = admin.call("POST /position-import", form={"dry_run": True, "file": good}, headers=json_only, keep=True)
    admin.call("POST /position-import", form={"dry_run": False, "file_key": checked["file_key"]})
    admin.call("GET /position-export", query={"format": "csv"})


def read(admin):
    admin.call("GET /position", query={"search": "H1-?"})
    admin.call("GET /position/{position_key}", position_key="rack-b")
    admin.call("GET /position-hierarchy", query={"position_key": "hall-1"})


def move(admin):
    """Goods and a unit come, move and go, and some come back."""
    order = {"purchase_doc": "PO-4711", "partner_name": "Ebro Valves", "partner_code": "S-0042"}
    admin.event("MOVEMENT_COMPLETED", movement_type="receipt", product_key="cv-10", position_to="rack-a", qt_confirmed=40, references=order)
    admin.event("MOVEMENT_COMPLETED", movement_type="receipt", product_key="oil-46", position_to="box-7", qt_confirmed=12.5)
    unit = {"product_key": "encoder", "serial_code": "EN-0101", "position_to": "rack-a", "qt_confirmed": 1}
    admin.event("MOVEMENT_COMPLETED", movement_type="receipt", **unit)
    ways = {"position_from": "rack-a", "position_to": "rack-b"}
    admin.event("MOVEMENT_COMPLETED", movement_type="transfer", product_code="CV-10", **ways, qt_confirmed=10, reason="Rack A is full")
    admin.event("MOVEMENT_COMPLETED", movement_type="transfer", position_from="box-7", position_to="rack-a")
    spilt = {"position_to": "box-7", "qt_confirmed": -0.5, "reason": "Spilt"}
    admin.event("MOVEMENT_COMPLETED", movement_type="adjustment", product_key="oil-46", **spilt)
    sale = {"movement_type": "shipment", "product_key": "cv-10", "position_from": "rack-a", "qt_confirmed": 6}
    shipped = admin.event("MOVEMENT_COMPLETED", **sale)["movement_key"]
    admin.event("MOVEMENT_REVERSED", original_movement_key=shipped, quantity_to_revert=2, reason="Two were sent back")


def deliver(plant):
    """A list that is carried out in parts, one that is closed, and a plan of its own."""
    admin = plant.admin
    rows = [
        {"product_key": "cv-10", "position_from": "rack-a", "qt_planned": 12},
        {"product_key": "oil-46", "position_from": "box-7", "qt_planned": 5, "reason": "First filling"},
    ]
    sale = {"sales_doc": "SO-2088", "partner_name": "Harbour Authority"}
    delivery = {"code": "D-2088", "type": "shipment", "due_by": plant.day(3), "notes": "Gate 4", "references": sale, "movements": rows}
    made = admin.call("POST /movement-list", delivery)["detail"]
    valves, oil = made["movement_keys"]
    parts = [{"position_from": "rack-a", "qt_confirmed": 8}, {"position_from": "rack-b", "qt_confirmed": 3}]
    admin.event("MOVEMENT_UPDATED", movement_key=valves, split_into=parts)
    admin.event("MOVEMENT_COMPLETED", movement_key=oil)
    admin.call("GET /movement-list/{movement_list_key}", movement_list_key=made["movement_list_key"])
    row = {"product_key": "cv-10", "position_from": "rack-b", "position_to": "rack-a", "qt_planned": 4}
    refill = {"code": "R-17", "type": "transfer", "notes": "Before the night shift", "movements": [row]}
    refill = admin.event("WAREHOUSE_LIST_CREATED", **refill)["movement_list_key"]
    admin.event("MOVEMENT_PLANNED", movement_type="transfer", **row, movement_list_key=refill)
    admin.event("WAREHOUSE_LIST_CLOSED", movement_list_key=refill, description="Nobody was there")
    admin.event("MOVEMENT_PLANNED", movement_type="receipt", product_key="sk-22", position_to="rack-b", qt_planned=100)


def look(admin):
    admin.call("GET /inventory", query={"root_position_key": "hall-1", "product_search": "cv-*"})
    admin.call("GET /movement", query={"product_key": "cv-10", "include_planned": False, "limit": 2})
    admin.call("GET /movement/latest-positions", query={"position_type": "from", "limit": 2})
    admin.call("GET /movement/latest-products", query={"movement_type": "shipment", "limit": 2})
    admin.call("GET /movement-list", query={"status": ["planned", "started"]})
    admin.call("POST /movement", {"status": ["planned", "started"], "type": "shipment"})
    admin.call("GET /inventory/verify")
