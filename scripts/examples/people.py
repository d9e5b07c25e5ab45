"""Departments, users, sessions and tokens."""

from examples.files import picture
from examples.service import ADMIN_PASSWORD

PASSWORD = "seven-bolts-and-a-gasket"
USERS = [
    {
        "_key": "anna",
        "username": "anna.weber",
        "scope": "library production quality",
        "name": "Anna",
        "surname": "Weber",
        "email": "anna.weber@plant.example",
        "department_key": "planning",
        "hourly_cost": 42,
        "preferences": {"locale": "en-GB", "theme": "light"},
    },
    {
        "_key": "luca",
        "username": "luca.conti",
        "scope": "operator",
        "name": "Luca",
        "surname": "Conti",
        "email": "luca.conti@plant.example",
        "department_key": "assembly",
        "hourly_cost": 31.5,
    },
    {
        "_key": "mira",
        "username": "mira.novak",
        "scope": "operator",
        "name": "Mira",
        "surname": "Novak",
        "department_key": "test",
        "hourly_cost": 33,
    },
    {"_key": "tom", "username": "tom.visser", "scope": "viewer", "name": "Tom", "surname": "Visser"},
]


def enter(plant):
    plant.admin = plant.caller("192.0.2.10", "office/1.0")
    plant.admin.call("GET /hello")
    plant.admin.signed_in("admin", ADMIN_PASSWORD)
    departments(plant.admin)
    temporary = {}
    for user in USERS:
        temporary[user["_key"]] = plant.admin.call("POST /user", user, keep=user["_key"] == "luca")["detail"]["temp_psw"]
    plant.anna = first_day(plant, "anna", temporary, "192.0.2.11", "office/1.0")
    plant.luca = first_day(plant, "luca", temporary, "192.0.2.21", "terminal/2.3 (assembly bench 4)")
    plant.mira = first_day(plant, "mira", temporary, "192.0.2.22", "terminal/2.3 (test bench 1)")
    accounts(plant)
    sessions(plant)
    tokens(plant)


def departments(admin):
    planning = {"_key": "planning", "name": "Planning", "code": "PLN"}
    admin.call("POST /department", planning)
    assembly = {"_key": "assembly", "name": "Assembly", "code": "ASM", "description": "Building 2, benches 1 to 6"}
    admin.call("POST /department", assembly, keep=True)
    admin.call("POST /department", {"_key": "test", "name": "Testing", "code": "TST"})
    admin.call("POST /department", {"_key": "paint", "name": "Paint shop", "code": "PNT"})
    admin.call("PATCH /department/{department_key}", {"description": "Building 2, benches 1 to 8"}, department_key="assembly")
    admin.call("GET /department/{department_key}", department_key="assembly")
    admin.call("DELETE /department/{department_key}", department_key="paint")
    admin.call("GET /department", query={"limit": 2})


def first_day(plant, key, temporary, address, device):
    """Somebody signs in with the temporary password, chooses one of their own, and signs in with that."""
    username = next(user["username"] for user in USERS if user["_key"] == key)
    user = plant.caller(address, device)
    user.signed_in(username, temporary[key])
    user.call("PUT /user/{user_key}/password", {"new_password": PASSWORD}, user_key=key)
    user.signed_in(username, PASSWORD, keep=key == "luca")
    return user


def accounts(plant):
    admin = plant.admin
    admin.call("GET /user", query={"scope": "operator"})
    admin.call("PATCH /user/{user_key}", {"scope": "operator quality", "hourly_cost": 34.5}, user_key="mira")
    admin.call("PUT /user/{user_key}/image", form={"new_image": picture("luca.png")}, user_key="luca")
    admin.call("GET /user/{user_key}", user_key="luca")
    admin.call("DELETE /user/{user_key}/image", user_key="luca")
    admin.call("DELETE /user/{user_key}/password", user_key="tom")
    admin.call("DELETE /user/{user_key}", user_key="tom")
    change = {"current_password": PASSWORD, "new_password": "eight-bolts-and-a-gasket"}
    plant.mira.call("PUT /user/{user_key}/password", change, user_key="mira", keep=True)
    plant.luca.call("POST /user/{user_key}/verify", {"password": PASSWORD}, user_key="anna")


def sessions(plant):
    plant.luca.call("GET /whoami")
    plant.luca.call("GET /scope", shorten=True)
    plant.luca.call("PATCH /preferences", {"theme": "light", "home_page": "/queue", "printer": "label-4"})
    plant.admin.call("GET /session", query={"all": True, "limit": 2})
    visitor = plant.caller("192.0.2.30", "office/1.0")
    made = plant.admin.call("POST /user", {"username": "eva.lang", "scope": "viewer"})["detail"]
    visitor.signed_in("eva.lang", made["temp_psw"])
    visitor.call("PUT /user/{user_key}/password", {"new_password": PASSWORD}, user_key=made["user_key"])
    visitor.signed_in("eva.lang", PASSWORD)
    [session] = visitor.call("GET /session")
    plant.admin.call("DELETE /session/{session_key}", query={"force": True}, session_key=session["_key"])


def tokens(plant):
    printer = {
        "token_description": "Label printer of line 4",
        "token_expiration": plant.day(365),
        "scope": "product:catalogue:read production:job:read",
    }
    token = plant.anna.call("POST /api-token", printer)["detail"]["token_key"]
    plant.anna.call("GET /user/api-tokens")
    plant.anna.call("DELETE /api-token/{token_key}", token_key=token)
