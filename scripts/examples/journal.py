"""The journal as a reader sees it: its seals while it is still short, its events when there are many."""


def begin(plant):
    """An order is removed at once, so that the seals show a block of events and a removal, the same each time."""
    order = {"product_code": "PP-40", "qt_planned": 1, "notes": "Entered twice"}
    removed = plant.anna.call("POST /work-order", order)["detail"]["work_order"]["_key"]
    plant.wait_for_seal()
    plant.admin.call("DELETE /force-delete-work-order/{work_order_key}", work_order_key=removed)
    packs = {"product_code": "PP-40", "qt_planned": 2, "due_by": plant.day(21), "project_code": "Harbour crane"}
    plant.packs = plant.anna.call("POST /work-order", packs)["detail"]["work_order"]["_key"]
    plant.wait_for_seal()
    plant.anna.call("GET /event/seal")
    plant.anna.call("GET /event/verify", keep=True)


def read(plant):
    feed = {"work_order_key": plant.order, "type": ["WORK_ORDER_CREATED", "JOB_STARTED", "STEP_COMPLETED"]}
    plant.anna.call("GET /event", query=feed | {"sort_by": "seq", "sorting_order": "asc", "limit": 3})
    plant.anna.call("GET /event/{event_key}", event_key=plant.started)
