"""Motors and their encoders, which are traced one by one: received, made, built in, replaced, searched, scrapped."""


def trace(plant):
    products(plant)
    receive(plant)
    build(plant)
    make(plant)
    read(plant)
    end(plant)


def products(plant):
    anna = plant.anna
    anna.call("POST /counter", {"_key": "motors", "name": "Motors", "template": ["M", "%y", "-", "#4"], "frequency": "year"})
    for key, code, description in (("motor", "EM-55", "Motor 5.5 kW"), ("encoder", "EN-10", "Encoder"), ("seal_kit", "SK-2", "Seal kit")):
        traced = {"_key": key, "code": code, "description": description, "traceability_level": "form_only"}
        anna.call("POST /product", traced)
    anna.call("PATCH /product/{product_key}", {"counter_key": "motors"}, product_key="motor")
    phase = [{"alias": "Mounting", "operation_key": "assembly", "steps": []}]
    anna.call("PUT /product/{product_key}/process", phase, product_key="motor")
    lines = [{"component_key": "encoder", "qt": 1}, {"component_key": "seal_kit", "qt": 1}]
    anna.call("PUT /product/{product_key_or_code}/bom", lines, product_key_or_code="motor")
    fields = [{"_key": "weight", "type": "number", "name": "Weight (kg)", "default_label": "Weight (kg)", "default_hint": None}]
    plant.admin.call("PATCH /config", {"serial_fields": fields})
    anna.call("GET /serial-field")


def receive(plant):
    anna = plant.anna
    weight = [{"custom_field_key": "weight", "value": 41.5, "label": "Weight (kg)"}]
    motors = anna.event("SERIAL_CREATED", product_key="motor", count=2, data=weight, timestamp=plant.at(0))
    plant.motor, plant.spare_motor = (unit["serial_key"] for unit in motors["serials"])
    encoders = anna.event("SERIAL_CREATED", product_key="encoder", range="EN-0041-0044", timestamp=plant.at(1))
    plant.encoders = [unit["serial_key"] for unit in encoders["serials"]]
    anna.event("SERIAL_CREATED", product_key="seal_kit", code="sk-9", released=None, timestamp=plant.at(2))
    kit = anna.call("GET /serial-code", query={"serial_code": "sk-9", "product_key": "seal_kit"})[0]["_key"]
    anna.event("SERIAL_RELEASED", serial_key=kit, timestamp=plant.at(3))
    plant.kit = kit
    anna.call("GET /serial-code/verify-free", query={"serial_code": "SK-9", "product_key": "seal_kit"})


def build(plant):
    anna, (first, second) = plant.anna, plant.encoders[:2]
    anna.event("SERIAL_LINKED", child_serial_key=first, parent_serial_key=plant.motor, timestamp=plant.at(10))
    swap = {"replaces_serial_key": first, "reason": "No signal on channel B"}
    anna.event("SERIAL_LINKED", child_serial_key=second, parent_serial_key=plant.motor, **swap, timestamp=plant.at(20))
    anna.event("SERIAL_LINKED", child_serial_key=plant.kit, parent_serial_key=plant.spare_motor, timestamp=plant.at(30))
    wrong = "Mounted on the wrong motor"
    anna.event("SERIAL_UNLINKED", child_serial_key=plant.kit, parent_serial_key=plant.spare_motor, reason=wrong, timestamp=plant.at(40))
    anna.event("SERIAL_LINKED", child_serial_key=plant.kit, batch_key=plant.batch, timestamp=plant.at(50))
    weight = [{"custom_field_key": "weight", "value": 41.8}]
    anna.event("SERIAL_UPDATED", serial_key=plant.motor, serial_data=weight, description="Weighed with the encoder")


def make(plant):
    anna = plant.anna
    order = anna.call("POST /work-order", {"product_key": "motor", "qt_planned": 1})["detail"]
    job = order["jobs"][0]["_key"]
    started = anna.event("JOB_STARTED", job_key=job, batch_serials=[{"serial_code": "M26-9001"}])
    plant.motors = started["batch_data"]["_key"]
    unit = anna.call("GET /batch/{batch_key}/serials", batch_key=plant.motors)[0]["serial_key"]
    parts = [{"parent_serial_key": unit, "child_serial_key": plant.encoders[3]}]
    anna.call("PUT /batch/{batch_key}/serial-temp-links", parts, batch_key=plant.motors)
    anna.call("GET /serial-batch", query={"batch_key": plant.motors})
    anna.event("BATCH_COMPLETED", active_batch_key=plant.motors, completed_batch_qt=1)


def read(plant):
    anna, motor, second = plant.anna, plant.motor, plant.encoders[1]
    anna.call("GET /serial/{serial_key}", serial_key=motor)
    anna.call("GET /serial-parents", query={"serial_key": second})
    anna.call("GET /serial-children", query={"serial_key": motor})
    anna.call("GET /serial-hierarchy", query={"serial_key": second})
    anna.call("GET /trace/serial/{serial_key}", serial_key=second, query={"include_replaced": True})
    anna.call("GET /trace/product/{product_key}/as-built", product_key="motor", query={"limit": 2})
    anna.call("GET /trace/recall", query={"product_key": "encoder", "limit": 3})
    anna.call("POST /trace/recall", {"serial_key": [second], "rows": "all", "include_replaced": True})
    anna.call("GET /serial-selection", query={"product_key": "encoder", "free_only": True})
    anna.call("GET /serial", query={"contains": "EN-0042", "sort_by": "code", "sorting_order": "asc"})
    anna.call("GET /serial/{serial_key}/dhr", query={"format": "json"}, serial_key=motor)
    anna.call("GET /component-batch", query={"batch_key": plant.batch})
    anna.call("GET /wip-serial", query={"wo_key": plant.order})


def end(plant):
    anna = plant.anna
    anna.event("SERIAL_SCRAPPED", serial_key=plant.encoders[0], reason="No signal on channel B")
    plant.admin.event("SERIAL_DELETED", serial_key=plant.encoders[2])
