"""The warehouse: its positions, one by one and from a table."""

from examples.files import table


def furnish(plant):
    positions(plant.admin)
    tables(plant.admin)
    read(plant.admin)


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
