"""The story: a plant that makes hydraulic power packs, from its first user to the resets. Each chapter builds on the records of
those before it."""

import datetime
import time

from examples import (
    catalogue, closing, collaboration, counting, journal, notification, people, production, refusals, site, units, warehouse,
)
from examples.service import Caller


class Plant:
    """Who works there, and when."""

    def __init__(self, base, exchanges):
        self.base, self.exchanges = base, exchanges
        self.today = now().date()
        self.shift = None

    def caller(self, address, device):
        return Caller(self.base, self.exchanges, address, device)

    def begin_shift(self):
        self.shift = now().replace(microsecond=0) + datetime.timedelta(seconds=1)

    def at(self, seconds):
        """A time of the shift. The service takes times of up to five minutes ahead, so work takes minutes although the story is
        told in seconds, and figures are the same each time."""
        return (self.shift + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def day(self, days):
        """A day so many days from now."""
        return str(self.today + datetime.timedelta(days=days))

    def wait_for_seal(self):
        """Until all events are sealed, which takes a second at most."""
        until = time.monotonic() + 30
        while self.anna.call("GET /event/verify")["detail"]["unsealed"]:
            if time.monotonic() > until:
                raise SystemExit("The journal was not sealed in time")
            time.sleep(0.05)


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def tell(base, exchanges):
    plant = Plant(base, exchanges)
    people.enter(plant)
    site.set_up(plant)
    catalogue.fill(plant)
    journal.begin(plant)
    production.run(plant)
    units.trace(plant)
    warehouse.furnish(plant)
    counting.take_stock(plant)
    collaboration.work_together(plant)
    journal.read(plant)
    notification.follow(plant)
    refusals.collect(plant)
    notification.tell(plant)
    closing.end(plant)
