"""An order of valve blocks from start to end: four are planned, three are made. The journal gets an event of every type."""


def run(plant):
    packs(plant)
    order(plant)
    queues(plant)
    plant.begin_shift()
    first_batch(plant)
    watch(plant)
    interruptions(plant)
    corrections(plant)
    test(plant)
    plant.anna.call("GET /work-order/{work_order_key}", work_order_key=plant.order)
    figures(plant)


def packs(plant):
    """Changes to an order that nobody has started."""
    anna = plant.anna
    change = {"new_due_date": plant.day(18), "priority": True}
    plant.luca.refused("403", "PATCH /work-order/{work_order_key}", change, work_order_key=plant.packs)
    anna.call("PATCH /work-order/{work_order_key}", change, work_order_key=plant.packs)
    anna.call("GET /audit", query={"target": f"WorkOrder/{plant.packs}", "limit": 2})
    anna.call("PATCH /work-order/{work_order_key}/update-quantities", {"new_quantity": 3}, work_order_key=plant.packs)
    anna.call("GET /work-order", query={"search": "PP-40"})


def order(plant):
    anna = plant.anna
    blocks = {
        "product_code": "VB-06",
        "qt_planned": 4,
        "due_by": plant.day(14),
        "project_code": "Harbour crane",
        "notes": "Deliver with certificates.",
    }
    made = anna.call("POST /work-order", blocks, keep=True)["detail"]
    plant.order = made["work_order"]["_key"]
    plant.assembly, plant.test = (job["_key"] for job in made["jobs"])
    plant.steps = [step["_key"] for job in made["jobs"] for step in job["step_sequence"]]
    updates = [
        {"action": "update", "data": {"_key": plant.assembly, "assigned_to": "luca"}},
        {"action": "update", "data": {"_key": plant.test, "assigned_to": "mira", "notes": "Bench 1 only"}},
    ]
    anna.call("POST /job/update", updates, keep=True)
    spare = anna.call("POST /work-order", {"product_code": "VB-06", "qt_planned": 10})["detail"]["work_order"]["_key"]
    anna.call("DELETE /work-order/{work_order_key}", work_order_key=spare)
    anna.call("GET /work-order-search-opts")


def queues(plant):
    anna = plant.anna
    anna.call("PUT /queue", {"type": "s", "work_orders": [plant.order, plant.packs]})
    [final] = anna.call("GET /job", query={"work_order_key": plant.packs})["detail"]
    plant.final = final["_key"]
    anna.call("POST /job/update", [{"action": "update", "data": {"_key": plant.final, "assigned_to": "luca"}}])
    own = {"independent": True, "jobs": [plant.final, plant.assembly]}
    anna.call("PUT /queue/operator/{operator_key}", own, operator_key="luca")
    plant.luca.call("GET /queue/operator/{operator_key}", operator_key="luca")
    anna.call("GET /queue", query={"limit": 2})


def first_batch(plant):
    luca = plant.luca
    started = luca.event("JOB_STARTED", job_key=plant.assembly, timestamp=plant.at(0))
    plant.started, batch = started["event_key"], started["batch_data"]["_key"]
    session = luca.call("GET /work-session", query={"job_key": plant.assembly})["detail"]
    luca.call("POST /job/{job_key}/heartbeat", {"work_session_key": session["_key"]}, job_key=plant.assembly)
    draft = [{"form_field_key": "lowest_torque", "value": 45.5}]
    luca.call("POST /batch/temp-data", {"batch_key": batch, "step_key": plant.steps[1], "form_data": draft})
    luca.event("STEP_COMPLETED", batch_key=batch, step_key=plant.steps[0], timestamp=plant.at(15))
    torque = [{"form_field_key": "lowest_torque", "value": 46.5}]
    done = luca.event("STEP_COMPLETED", batch_key=batch, step_key=plant.steps[1], form_data=torque, timestamp=plant.at(75))
    plant.record = done["execution_record_key"]
    luca.call("GET /batch/{batch_key}", batch_key=batch)


def watch(plant):
    """The first batch waits in front of the test, the second is being assembled."""
    anna = plant.anna
    anna.call("GET /wip", query={"job_key": plant.test})
    anna.call("GET /job/{job_key}", job_key=plant.assembly)
    anna.call("GET /job-assignment", query={"user_key": "luca"})
    anna.call("GET /queue/site/{site_key}", query={"limit": 1, "offset": 1}, site_key="0")
    anna.call("GET /work-order/{work_order_key}/traceability", query={"limit": 2}, work_order_key=plant.order)


def interruptions(plant):
    luca, job = plant.luca, plant.assembly
    luca.event("JOB_PAUSED", job_key=job, description="Waiting for seal kits", timestamp=plant.at(80))
    luca.event("JOB_RESUMED", job_key=job, timestamp=plant.at(90))
    luca.event("JOB_PAUSED_OFFLINE", job_key=job, work_session_end=plant.at(100), timestamp=plant.at(105))
    luca.event("JOB_BACK_ONLINE", job_key=job, timestamp=plant.at(110))
    luca.event("ACTIVE_BATCH_CHANGED", job_key=job, new_active_batch_qt=1, timestamp=plant.at(115))
    plant.anna.event("JOB_PAUSE_FORCED", job_key=job, description="Fire drill", timestamp=plant.at(120))


def corrections(plant):
    """The second batch is taken back; the blocks turn out to be ready all the same."""
    anna, job = plant.anna, plant.assembly
    torque = [{"form_field_key": "lowest_torque", "value": 47}]
    anna.event("STEP_EDITED", execution_record_key=plant.record, form_data=torque, description="The gauge was misread")
    anna.event("BATCH_CANCELED", job_key=job, description="Wrong cartridges", timestamp=plant.at(125))
    counted = {"new_job_qt_completed": 4, "should_adjust_duration": True, "timestamp": plant.at(130)}
    anna.event("PROGRESS_OVERRIDE_REQUESTED", job_key=job, **counted)
    anna.event("TIME_OVERRIDE_REQUESTED", job_key=job, new_job_duration=240000)
    anna.call("GET /job/{job_key}/time", job_key=job)
    notes = "Deliver with certificates, on one pallet."
    anna.event("WORK_ORDER_UPDATED", work_order_key=plant.order, new_due_date=plant.day(12), notes=notes)
    program = {"bench": 1, "program": "P-315"}
    anna.event("EXTRA_UPDATE_REQUESTED", entity_type="job", entity_key=plant.test, extra_data=program)
    shared = {"event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job"}
    rows = [{"entity_key": plant.test, "extra_data": program | {"run": 2}}, {"entity_key": job, "extra_data": {"bench": 4}}]
    anna.call("POST /event/bulk", {"shared_data": shared, "events": rows})
    anna.event("PROGRESS_OVERRIDE_REQUESTED", job_key=plant.final, new_job_qt_completed=1)
    anna.event("JOB_RESET", job_key=plant.final, description="Booked on the wrong order")
    anna.event("JOB_CLOSED", job_key=plant.final, completed_qt=0, notes="The customer withdrew the order.")


def test(plant):
    batch = plant.mira.event("JOB_STARTED", job_key=plant.test, timestamp=plant.at(140))["batch_data"]["_key"]
    plant.batch = batch
    values = [
        {"form_field_key": "held_pressure", "value": 315},
        {"form_field_key": "test_oil", "value": "hlp46"},
    ]
    plant.mira.event(
        "BATCH_COMPLETED",
        keep=True,
        active_batch_key=batch,
        completed_batch_qt=3,
        scrap_qt=1,
        scrap_reason="Leak at port B",
        step_data=[{"step_key": plant.steps[2], "form_data": values}],
        timestamp=plant.at(260),
    )


def figures(plant):
    """Figures go up to now, so they are of an order that was done yesterday."""
    anna, mira, day = plant.anna, plant.mira, 24 * 3600
    jobs = anna.call("POST /work-order", {"product_code": "VB-06-M", "qt_planned": 10})["detail"]["jobs"]
    assembly, test = (job["_key"] for job in jobs)
    anna.call("POST /job/update", [{"action": "update", "data": {"_key": assembly, "assigned_to": "luca"}}])
    made = {"new_job_qt_completed": 10, "should_adjust_duration": True, "timestamp": plant.at(-day)}
    anna.event("PROGRESS_OVERRIDE_REQUESTED", job_key=assembly, **made)
    batch = mira.event("JOB_STARTED", job_key=test, timestamp=plant.at(600 - day))["batch_data"]["_key"]
    counts = {"completed_batch_qt": 9, "scrap_qt": 1, "scrap_reason": "Thread damaged"}
    mira.event("BATCH_COMPLETED", active_batch_key=batch, **counts, timestamp=plant.at(1200 - day))
    anna.call("GET /product/{product_key}/stats", product_key=jobs[0]["product_key"])
