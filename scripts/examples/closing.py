"""What nobody can undo comes last."""


def end(plant):
    order = plant.anna.call("POST /work-order", {"product_code": "VB-06", "qt_planned": 2})["detail"]
    plant.luca.event("JOB_STARTED", job_key=order["jobs"][0]["_key"])
    key = order["work_order"]["_key"]
    plant.admin.call("DELETE /force-delete-work-order/{work_order_key}", work_order_key=key, keep=True)
    plant.admin.call("DELETE /reset/inventory")
    plant.admin.call("DELETE /reset/prod")
