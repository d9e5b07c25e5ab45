"""Being told what happens, and telling other programs."""

import time


def follow(plant):
    plant.anna.call("POST /notification/ticket", {"topic": "production,serial"})
    plant.anna.overhear("GET /notification/{topic}", query={"last_event_id": 0}, topic="production,serial")


def tell(plant):
    webhooks(plant)


def webhooks(plant):
    admin = plant.admin
    erp = {
        "_key": "erp",
        "name": "Orders to the ERP",
        "url": "https://erp.northfield.example/hooks/tracewright",
        "event_types": ["WORK_ORDER_*", "BATCH_COMPLETED"],
    }
    admin.call("POST /webhook", erp)
    admin.call("POST /webhook", {"_key": "trial", "url": "https://erp.northfield.example/trial", "event_types": ["*"], "active": False})
    admin.call("DELETE /webhook/{webhook_key}", webhook_key="trial")
    admin.call("GET /webhook")
    admin.call("GET /webhook/{webhook_key}", webhook_key="erp")
    plant.anna.call("POST /work-order", {"product_code": "VB-06", "qt_planned": 1})
    until = time.monotonic() + 30
    while not any(delivery["attempts"] for delivery in deliveries(admin)):
        if time.monotonic() > until:
            raise SystemExit("The webhook was not tried in time")
        time.sleep(0.1)
    deliveries(admin, keep=True)
    admin.call("PATCH /webhook/{webhook_key}", {"event_types": ["WORK_ORDER_CLOSED"], "active": False}, webhook_key="erp")


def deliveries(admin, **options):
    return admin.call("GET /webhook/{webhook_key}/delivery", query={"limit": 1}, webhook_key="erp", **options)
