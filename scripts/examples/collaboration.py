"""Issues, messages and tasks: a leak is reported and talked about, somebody repairs it, and the issue is closed."""


def work_together(plant):
    issue_types(plant.anna)
    task_types(plant.anna)
    report(plant)
    talk(plant)
    repair(plant)
    look(plant)
    settle(plant)


def issue_types(anna):
    anna.call("POST /field", {"_key": "leak_rate", "name": "Leak rate", "type": "number", "default_label": "Leak rate (ml/min)"})
    leak = {
        "_key": "leak",
        "name": "Leak",
        "code": "LEAK",
        "description": "Oil where there should be none",
        "icon": "droplet",
        "critical": True,
        "form_template": [
            {"_key": "rate", "custom_field_key": "leak_rate", "hint": "Over ten minutes", "mandatory": True},
            {"_key": "fluid", "custom_field_key": "oil", "label": "Oil"},
        ],
    }
    anna.call("POST /issue-type", leak)
    anna.call("POST /issue-type", {"_key": "dent", "name": "Dent"})
    change = {"description": "Oil outside of the circuit", "critical": True}
    anna.call("PATCH /issue-type/{issue_type_key}", change, issue_type_key="leak")
    anna.call("DELETE /issue-type/{issue_type_key}", issue_type_key="dent")
    anna.call("GET /issue-type", query={"critical": True})


def task_types(anna):
    repair = {
        "_key": "repair",
        "name": "Repair",
        "description": "Work on a unit that has left production",
        "icon": "wrench",
        "form_fields": [{"_key": "tightened", "custom_field_key": "torque", "label": "Torque after the repair (Nm)", "mandatory": True}],
        "require_time_entry": True,
        "link_settings": [
            {"type": "issue", "enabled": True, "required": True},
            {"type": "serial", "enabled": True, "allow_multiple": True},
            {"type": "task", "enabled": True},
        ],
    }
    anna.call("POST /task-type", repair)
    anna.call("POST /task-type", {"_key": "errand", "name": "Errand"})
    change = {"name": "Repair on site", "description": "Work on a unit where it is used"}
    anna.call("PUT /task-type/{type_key}", change, type_key="repair")
    anna.call("DELETE /task-type/{type_key}", type_key="errand")
    anna.call("GET /task-type", query={"name": "repair"})


def report(plant):
    about = [{"type": "serial", "key": plant.motor}, {"type": "work_order", "key": plant.packs}]
    leak = {
        "issue_type_key": "leak",
        "title": "Oil at the shaft seal",
        "critical": True,
        "data": [{"form_field_key": "fluid", "value": "hlp46"}],
        "linked_to": about,
    }
    plant.issue = plant.luca.event("ISSUE_CREATED", issue_data=leak, description="Found on the test bench")["issue_key"]
    project = {"type": "project", "key": "Harbour crane"}
    more = {"_key": plant.issue, "description": "After ten minutes at 200 bar", "linked_to": [*about, project]}
    plant.mira.event("ISSUE_UPDATED", issue_data=more)


def talk(plant):
    beside = f"Issue/{plant.issue}"
    said = plant.mira.event("MESSAGE_POSTED", recipient=beside, content="The spare motor is dry", sender="mira")["message_key"]
    plant.mira.event("MESSAGE_UPDATED", message_key=said, content="The spare motor is dry, I ran it for an hour")
    plant.luca.event("MESSAGE_POSTED", recipient=beside, content="I take the seal kit from rack A")
    slip = plant.luca.event("MESSAGE_POSTED", recipient=beside, content="The parking lot is full")["message_key"]
    plant.luca.event("MESSAGE_DELETED", message_key=slip)
    plant.anna.call("GET /message", query={"recipient_id": beside})


def repair(plant):
    anna, luca = plant.anna, plant.luca
    seal = {
        "code": "REP-7",
        "title": "Replace the shaft seal",
        "description": "With the kit from rack A",
        "assigned_to": [{"user_key": "luca", "role": "owner"}, {"user_key": "mira", "role": "participant"}],
        "start_from": plant.day(1),
        "due_by": plant.day(3),
        "extra": {"place": "Pier 4"},
    }
    task = anna.event("TASK_CREATED", task_type_key="repair", **seal)["task_key"]
    check = anna.event("TASK_CREATED", task_type_key="repair", code="REP-8", title="Look at the other motors")["task_key"]
    slip = anna.event("TASK_CREATED", task_type_key="repair", code="REP-9", title="Entered twice")["task_key"]
    anna.event("TASK_DELETED", task_key=slip)
    anna.event("TASK_LINKED", task_key=task, link_type="issue", link_key=plant.issue)
    anna.event("TASK_LINKED", task_key=check, link_type="serial", link_key=plant.spare_motor)
    anna.event("TASK_UNLINKED", task_key=check, link_type="serial", link_key=plant.spare_motor)
    anna.event("TASK_LINKED", task_key=check, link_type="task", link_key=task)
    measured = [{"form_field_key": "tightened", "value": 46.5}]
    luca.event("TASK_UPDATED", task_key=task, title="Replace the shaft seal and its screws", form_fields=measured)
    luca.event("TASK_SUSPENDED", task_key=task, description="The crane is in use")
    luca.event("TASK_REOPENED", task_key=task)
    day = plant.day(-1)
    luca.event("TASK_TIME_RECORDED", task_key=task, start=f"{day}T08:00:00.000Z", end=f"{day}T08:45:00.000Z")
    anna.event("TASK_CANCELED", task_key=check, reason="The motors come back anyway")
    anna.call("GET /task", query={"assigned_to": ["luca", "mira"], "status_open": True, "due_by_max": plant.day(7)})
    luca.event("TASK_COMPLETED", task_key=task)
    anna.call("GET /task/{task_key}", task_key=task)


def look(plant):
    """While the issue is open, so that the record of the motor shows what it lacks."""
    anna = plant.anna
    anna.call("GET /issue", query={"issue_open": True, "serial_search": "M", "sort_by": "created"})
    anna.call("GET /issue/{issue_key}", issue_key=plant.issue)
    anna.call("GET /serial/{serial_key}/dhr", query={"format": "json"}, serial_key=plant.motor, keep=True)


def settle(plant):
    anna = plant.anna
    found = [{"form_field_key": "rate", "value": 0.4}]
    anna.event("ISSUE_CLOSED", issue_data={"_key": plant.issue, "data": found})
    anna.event("ISSUE_REOPENED", issue_data={"_key": plant.issue, "critical": False}, description="It drips again")
    anna.event("ISSUE_CLOSED", issue_data={"_key": plant.issue})
    slip = anna.event("ISSUE_CREATED", issue_data={"title": "Reported twice"})["issue_key"]
    anna.event("ISSUE_DELETED", issue_data={"_key": slip})
