"""Products, with how and from what they are made, and the files that belong to them."""

from examples.files import paper, picture, table

PRODUCTS = [
    {
        "_key": "vb-06",
        "code": "VB-06",
        "description": "Valve block, 6 cartridges",
        "cost": {"target": 180, "average": 172.4},
        "processing_time_target": 900,
        "kpi_window_size": 20,
        "metadata": [{"custom_field_key": "weight", "value": 4.2, "label": "Weight", "hint": None}],
    },
    {
        "_key": "pp-40",
        "code": "PP-40",
        "description": "Power pack, 40 l, 7.5 kW",
        "counter_key": "packs",
        "cost": {"target": 1450},
        "production_notes": "Fill the tank only after the pressure test.",
    },
    {"_key": "cv-10", "code": "CV-10", "description": "Cartridge valve", "cost": {"average": 21.5}},
    {"_key": "sk-22", "code": "SK-22", "description": "Seal kit", "cost": {"average": 3.85}},
    {"_key": "m-75", "code": "M-75", "description": "Electric motor, 7.5 kW", "cost": {"average": 395}},
    {"_key": "oil-46", "code": "OIL-46", "description": "Hydraulic oil HLP 46, litres", "cost": {"average": 2.9}},
]


def fill(plant):
    media(plant)
    operations(plant.anna)
    for product in PRODUCTS:
        plant.anna.call("POST /product", product)
    processes(plant)
    boms(plant.anna)
    papers(plant)
    changes(plant.anna)
    copies(plant.anna)
    tables(plant.anna)
    tags(plant.anna)


def media(plant):
    anna = plant.anna
    plant.drawing = anna.call("POST /media/create", form={"file": picture("torque sequence.png")})["detail"]["_key"]
    anna.call("GET /media/{media_key}", media_key=plant.drawing)
    unused = anna.call("POST /media/create", form={"file": picture("bench.png")})["detail"]["_key"]
    anna.call("PATCH /media/{media_key}", form={"file": picture("bench 2.png")}, media_key=unused)
    anna.call("DELETE /media/{media_key}", media_key=unused)


def operations(anna):
    assembly = {
        "_key": "assembly",
        "name": "Assembly",
        "code": "ASM",
        "description": "Benches 1 to 8",
        "default_phase_parameters": {"step_check": True, "production_batch_qt": 2},
        "default_phase_steps": [{"title": "Clean the parts", "description": "Blow out all **bores** with dry air."}],
    }
    anna.call("POST /operation", assembly)
    anna.call("POST /operation", {"_key": "testing", "name": "Pressure test", "code": "TST"})
    anna.call("POST /operation", {"_key": "painting", "name": "Painting"})
    change = {"default_phase_parameters": {"production_batch_qt": 0}, "default_phase_notes": "Wear safety glasses."}
    anna.call("PATCH /operation/{operation_key}", change, operation_key="testing")
    anna.call("DELETE /operation/{operation_key}", operation_key="painting")


def processes(plant):
    anna = plant.anna
    process = [
        {
            "alias": "Assembly",
            "operation_key": "assembly",
            "params": {"production_batch_qt": 2, "step_check": True, "step_check_force_order": True, "std_processing_time": 30},
            "production_notes": "Cartridges 1 to 6 from left to right.",
            "steps": [
                {"title": "Clean the block", "description": "Blow out all **bores** with dry air."},
                {
                    "title": "Tighten the cartridges",
                    "type": "form",
                    "form_fields": [
                        {"_key": "lowest_torque", "custom_field_key": "torque", "label": "Lowest of all", "mandatory": True}
                    ],
                    "media": [plant.drawing],
                },
            ],
        },
        {
            "alias": "Pressure test",
            "operation_key": "testing",
            "params": {"production_batch_qt": 0, "std_processing_time": 60},
            "steps": [
                {
                    "title": "Hold for one minute",
                    "type": "form",
                    "form_fields": [
                        {"_key": "held_pressure", "custom_field_key": "pressure", "mandatory": True},
                        {"_key": "test_oil", "custom_field_key": "oil"},
                    ],
                }
            ],
        },
    ]
    phases = anna.call("PUT /product/{product_key}/process", process, product_key="vb-06")
    anna.call("GET /product/{product_key}/process", product_key="vb-06")
    final = [{"alias": "Final assembly", "operation_key": "assembly", "params": {"production_batch_qt": 1}, "steps": []}]
    anna.call("PUT /product/{product_key}/process", final, product_key="pp-40")
    anna.call("GET /operation")
    anna.call("GET /phase", query={"phase_key": [phase["_key"] for phase in phases]})
    anna.call("GET /procedure/{phase_key}", phase_key=phases[0]["_key"])
    step = phases[1]["steps"][0]["_key"]
    anna.call("POST /step/{step_key}/media", form={"media_file": paper("test bench.pdf")}, step_key=step)
    anna.call("POST /step/{step_key}/media", form={"media_file": picture("leak.png")}, step_key=step)
    anna.call("GET /step/{step_key}/media", step_key=step)
    for name in ("leak.png", "test bench.pdf"):
        anna.call("DELETE /step/{step_key}/media/{filename}", step_key=step, filename=name)


def boms(anna):
    lines = [
        {"component_code": "VB-06", "qt": 1},
        {"component_code": "M-75", "qt": 1},
        {"component_code": "OIL-46", "qt": 38.5, "extra": {"from": "drum"}},
    ]
    anna.call("PUT /product/{product_key_or_code}/bom", lines, query={"by_code": True}, product_key_or_code="PP-40")
    phases = anna.call("GET /product/{product_key}/process", product_key="vb-06")
    lines = [
        {"component_code": "CV-10", "qt": 6, "phase_key": phases[0]["_key"]},
        {
            "component_key": "sk-22",
            "qt": 1,
            "phase_key": phases[0]["_key"],
            "consumption_options": {"consumption_position_key": "IN", "consumption_position_mandatory": True},
        },
    ]
    anna.call("PUT /product/{product_key_or_code}/bom", lines[:1], product_key_or_code="vb-06")
    anna.call("PUT /product/{product_key_or_code}/bom", lines, product_key_or_code="vb-06", keep=True)
    anna.call("GET /product/{product_key_or_code}/bom", product_key_or_code="vb-06")
    anna.call("GET /product/{product_key}/bom/versions", product_key="vb-06")
    anna.call("GET /product/{product_key}/bom/explode", query={"qt": 10}, product_key="pp-40")
    anna.call("GET /product/{product_key}/where-used", product_key="cv-10")


def papers(plant):
    anna = plant.anna
    anna.call("POST /product/{product_key}/doc", form={"new_doc": paper("VB-06 data sheet.pdf")}, product_key="vb-06")
    anna.call("POST /product/{product_key}/doc", form={"new_doc": paper("old.pdf")}, product_key="vb-06")
    anna.call("DELETE /product/{product_key}/doc/{doc_name}", product_key="vb-06", doc_name="old.pdf")
    anna.call("PUT /product/{product_key}/image", form={"new_image": picture("block.png")}, product_key="vb-06")
    anna.call("PUT /product/{product_key}/image", form={"new_image": picture("pack.png")}, product_key="pp-40")
    anna.call("DELETE /product/{product_key}/image", product_key="pp-40")
    folder = {"bucket": "product", "object_key": "vb-06", "subfolder": "certificates"}
    form = folder | {"reset_folder": False, "contents": [paper("material 3.1.pdf"), paper("coating.pdf")]}
    anna.call("POST /files", form=form)
    anna.call("GET /files", query={"bucket": "product", "object_key": "vb-06", "subfolder": "certificates"})
    anna.call("POST /files/ticket", {"path": "/media/product/vb-06/certificates/coating.pdf"})
    anna.call("DELETE /files", folder | {"filenames": ["coating.pdf"]})


def changes(anna):
    anna.call("PATCH /product/{product_key}", {"minimum_order_qt": 2, "cost": {"average": 169.9}}, product_key="vb-06")
    anna.call("GET /product/{product_key}", product_key="vb-06")
    cost = {"target": 3.5, "average": 3.85}
    seal_kit = {"code": "SK-22", "description": "Seal kit, FKM", "cost": cost, "technical_batch_qt": 50}
    anna.call("PUT /product/{product_key}", seal_kit, product_key="sk-22")
    anna.call("POST /product", {"_key": "vb-04", "code": "VB-04", "description": "Valve block, 4 cartridges"})
    anna.call("DELETE /product/{product_key}", product_key="vb-04")


def copies(anna):
    marine = {"original_product": "VB-06", "by_code": True, "new_code": "VB-06-M", "new_description": "Valve block, marine"}
    copy = anna.call("POST /product/copy", marine)["detail"]["new_product_key"]
    anna.call("POST /product/{product_key}/process/copy", {"target_product_keys": [copy]}, product_key="vb-06")
    anna.call("POST /operation/{operation_key}/copy", {"target_product_keys": [copy]}, operation_key="testing")
    anna.call("POST /product/{product_key}/counter/copy", {"target_product_keys": [copy]}, product_key="pp-40")


def tables(anna):
    """An import that finds faults, then a good one in its two steps, and an export."""
    json_only = {"Accept": "application/json"}
    bad = table("spare parts.csv", "code,description,cost_average", "SK-30,Seal kit large,5.20", "SK-31,,cheap")
    anna.call("POST /product/import", form={"dry_run": True, "file": bad}, headers=json_only)
    header = "code,description,cost_average,tags"
    good = table("spare parts.csv", header, "SK-30,Seal kit large,5.20,Spare parts", "CV-10,,21.90,")
    checked = anna.call("POST /product/import", form={"dry_run": True, "file": good}, headers=json_only, keep=True)
    anna.call("POST /product/import", form={"dry_run": False, "file_key": checked["file_key"]})
    anna.call("GET /product/export", query={"format": "csv"})


def tags(anna):
    links = [
        {"type": "add", "tag_key": "marine", "context": "product", "context_key": "pp-40"},
        {"type": "add", "tag_key": "spare", "context": "product", "context_key": "cv-10"},
    ]
    anna.call("POST /tag/update-connections", links)
    anna.call("GET /tag", query={"context": "product", "context_key": "cv-10"})
    anna.call("GET /product", query={"search_string": "sk*"})
