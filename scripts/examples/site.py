"""What a site defines for itself: configuration, counters, custom data, tags, fields and lists."""

from examples.files import picture


def set_up(plant):
    configuration(plant)
    counters(plant.anna)
    custom_data(plant.admin)
    tags(plant.anna)
    fields(plant.anna)


def counters(anna):
    anna.call("POST /counter", {"_key": "packs", "name": "Power packs", "template": ["PP-", "#5"]})
    anna.call("POST /counter", {"_key": "trial", "name": "Trial", "template": ["T", "#3"]})
    anna.call("PUT /counter/{counter_key}", {"template": ["PP", "%y", "-", "#5"], "frequency": "year"}, counter_key="packs")
    anna.call("DELETE /counter/{counter_key}", counter_key="trial")
    anna.call("GET /counter", query={"limit": 2, "offset": 1})


def configuration(plant):
    orders = {"_key": "orders", "name": "Work orders", "template": ["WO-", "%y", "-", "#4"], "frequency": "year"}
    plant.anna.call("POST /counter", orders)
    change = {
        "company_name": "Northfield Hydraulics",
        "timezone": "Europe/Berlin",
        "operator_cost": 30,
        "system_counters": {"work_orders": "orders"},
        "allow_independent_reordering_of_job_queues": True,
        "default_production_position": "IN",
        "default_consumption_position": "IN",
    }
    plant.admin.call("PATCH /config", change)
    plant.admin.call("PUT /config/{key}/file", form={"file": picture("northfield.png")}, key="company_logo")
    logo = {"bucket": "config", "object_key": "company_logo", "filename": "northfield.png"}
    plant.admin.call("GET /media/{bucket}/{object_key}/{filename}", **logo)
    plant.caller("192.0.2.21", "terminal/2.3 (assembly bench 4)").call("GET /config")


def custom_data(admin):
    printer = {"value": {"address": "label-4", "dpi": 300, "width_mm": 62}, "description": "Label printer of line 4"}
    admin.call("PUT /custom-data/{key}", printer, key="label_printer")
    shifts = {"value": [{"name": "early", "from": "06:00"}, {"name": "late", "from": "14:00"}], "description": "Shifts"}
    admin.call("PUT /custom-data/{key}", shifts, key="shifts")
    admin.call("GET /custom-data")
    admin.call("GET /custom-data/{key}", key="label_printer")
    admin.call("DELETE /custom-data/{key}", key="shifts")


def tags(anna):
    marine = {"_key": "marine", "name": "Marine", "description": "For use at sea: painted twice", "color": "#0B5394"}
    anna.call("POST /tag", marine)
    anna.call("POST /tag", {"_key": "spare", "name": "Spare part", "color": "#6AA84F"})
    anna.call("POST /tag", {"_key": "old", "name": "Series 1"})
    anna.call("PATCH /tag/{tag_key}", {"name": "Spare parts", "description": "Also sold alone"}, tag_key="spare")
    anna.call("DELETE /tag/{tag_key}", tag_key="old")


def fields(anna):
    torque = {"_key": "torque", "name": "Torque", "type": "number", "default_label": "Torque (Nm)", "default_hint": "45 to 50"}
    anna.call("POST /field", torque)
    anna.call("POST /field", {"_key": "pressure", "name": "Test pressure", "type": "number", "default_label": "Pressure (bar)"})
    anna.call("POST /field", {"_key": "oil", "name": "Oil", "type": "choice"})
    anna.call("POST /field", {"_key": "weight", "name": "Weight (kg)", "type": "number"})
    anna.call("POST /field", {"_key": "photo", "name": "Photo", "type": "files"})
    torque = {"_key": "torque", "name": "Torque", "type": "number", "default_label": "Torque (Nm)", "default_hint": "45 to 48"}
    anna.call("PUT /field/{field_key}", torque, field_key="torque")
    anna.call("DELETE /field/{field_key}", field_key="photo")
    anna.call("GET /field", query={"limit": 2, "offset": 2})
    oils = [
        {"_key": "hlp46", "value": "HLP 46", "ext_key": "4000123"},
        {"_key": "hvlp32", "value": "HVLP 32", "ext_key": "4000145"},
        {"_key": "hfd", "value": "HFD-U 46"},
    ]
    anna.call("POST /list/{field_key}", oils, field_key="oil")
    anna.call("GET /list", query={"field_key": "oil", "search": "46"})
    anna.call("DELETE /list/{field_key}", query={"value_key": ["hfd"]}, field_key="oil")
