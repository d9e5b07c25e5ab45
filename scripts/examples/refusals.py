"""One refusal of each kind."""

from examples.files import table
from examples.service import FAILURES


def collect(plant):
    anna, luca = plant.anna, plant.luca
    stranger = plant.caller("192.0.2.99", "terminal/2.3 (gate)")
    stranger.token = "a.b.c"
    stranger.refused("401", "GET /whoami")
    stranger.token = None
    for _ in range(FAILURES):
        stranger.refused("401_credentials", "POST /auth", form={"username": "luca.conti", "password": "a wrong guess"})
    stranger.refused("429", "POST /auth", form={"username": "luca.conti", "password": "a wrong guess"})
    anna.refused("404", "GET /product/{product_key}", product_key="vb-07")
    anna.refused("409", "POST /product", {"code": "VB-06"})
    earlier = anna.call("GET /product/{product_key}", product_key="vb-06")["_rev"]
    anna.call("PATCH /product/{product_key}", {"minimum_order_qt": 4}, product_key="vb-06")
    change = {"description": "Valve block, 8 cartridges"}
    anna.refused("412", "PATCH /product/{product_key}", change, headers={"If-Match": earlier}, product_key="vb-06")
    anna.refused("422_validation", "POST /work-order", {"product_code": "VB-06", "qt_planned": 0, "due_by": "soon"})
    waiting = anna.call("POST /work-order", {"product_code": "VB-06", "qt_planned": 2})["detail"]["jobs"][0]["_key"]
    luca.refused("422_rule", "POST /event", {"event_type": "JOB_RESUMED", "job_key": waiting})
    anna.refused("400", "POST /product/{product_key}/process/copy", {"target_product_keys": ["vb-06"]}, product_key="vb-06")
    drawing = {"new_image": table("drawing.dxf", "0", "SECTION")}
    anna.refused("415", "PUT /product/{product_key}/image", form=drawing, product_key="vb-06")
    anna.refused("413", "POST /tag", {"name": "Marine", "description": "-" * 2**20})
