"""Worlds of an emulator."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional, Union
from urllib.parse import quote, urlencode

from .control import call
from .duration import Duration, milliseconds
from .schedule import Delivery, Sink

Json = Dict[str, Any]


class Clock:
    """The world's clock. It stands still until a test moves it, and returns when all that fell due has happened."""

    def __init__(self, control_url: str) -> None:
        self._url = f"{control_url}/clock"

    @property
    def now(self) -> datetime:
        """The world's time."""
        return datetime.fromisoformat(call("GET", self._url)["now"].replace("Z", "+00:00"))

    @property
    def pending(self) -> List[Json]:
        """Future events, in the order in which they will fire."""
        return call("GET", self._url)["pending"]

    def advance(self, by: Duration) -> List[Json]:
        """Moves the clock by a duration, such as ``"14h 36m"`` or a ``timedelta``. Returns the events that fired."""
        return self._move({"by": milliseconds(by)})

    def advance_to(self, instant: Union[datetime, str]) -> List[Json]:
        """Moves the clock to an instant: a ``datetime`` with a time zone, or ISO 8601."""
        return self._move({"to": instant if isinstance(instant, str) else instant.isoformat()})

    def next(self) -> List[Json]:
        """Moves the clock to the next instant at which anything is due."""
        return self._move({"next": True})

    def until_idle(self) -> List[Json]:
        """Moves the clock until nothing is pending."""
        return self._move({"until": "idle"})

    def _move(self, move: Json) -> List[Json]:
        return call("POST", f"{self._url}/advance", move)["fired"]


class World:
    """An isolated copy of the service, with its own data, clock and receivers."""

    def __init__(self, data: Json) -> None:
        self.id: str = data["world"]
        self.url: str = data["base_url"]
        """Base URL: the API is at ``{url}/api/v2``."""
        self.control_url: str = data["control_url"]
        self.tokens: Dict[str, str] = data["tokens"]
        """Access tokens by the e-mail address of their user."""
        self.clock = Clock(self.control_url)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the control plane: ``control("POST", "/faults", {…})``. ``/openapi.json`` describes every call."""
        return call(method, f"{self.control_url}{path}", body)

    def load(self, fixtures: Json) -> Json:
        """Adds a fixture document, all of it or nothing. Returns what was made, with ids, tokens and secrets."""
        made = self.control("POST", "/fixtures", fixtures)
        self._refresh()
        return made

    def add_to_folder(self, folder: str, recording: str) -> List[str]:
        """Puts a recording into a folder, which triggers its automations. Returns the ids of the deliveries."""
        return self.control("POST", f"/folders/{quote(folder, safe='')}/recordings", {"recording": recording})["deliveries"]

    def deliveries(self, **filters: str) -> List[Delivery]:
        """Returns the deliveries, by ``state``, ``automation``, ``destination`` or ``recording``."""
        found = self.control("GET", f"/deliveries?{urlencode(filters)}")["deliveries"]
        return [Delivery(data) for data in found]

    def delivery(self, **filters: str) -> Delivery:
        """Returns the only delivery that matches. Fails if there is none, or more than one."""
        __tracebackhide__ = True
        found = self.deliveries(**filters)
        if len(found) != 1:
            raise AssertionError(f"expected one delivery with {filters or 'any values'}, and there are {len(found)}: {found}")
        return found[0]

    def create_sink(self, id: Optional[str] = None, respond: Any = (200,)) -> Sink:
        """Creates a receiver inside the emulator, which gives these responses: ``[500, "timeout", 200]``. The last one repeats."""
        named = {} if id is None else {"id": id}
        return Sink(self.control("POST", "/sinks", {**named, "respond": list(respond)}))

    def sink(self, id: str) -> Sink:
        """Returns a sink with the requests that it has received."""
        return Sink(self.control("GET", f"/sinks/{quote(id, safe='')}"))

    def journal(self, **filters: str) -> List[Json]:
        """Returns every request, attempt and move of the clock in order, by ``kind``, ``since`` or ``origin``."""
        return self.control("GET", f"/journal?{urlencode(filters)}")["entries"]

    def reset(self) -> None:
        """Returns the world to its start."""
        self.control("POST", "/reset")
        self._refresh()

    def remove(self) -> None:
        """Deletes the world."""
        self.control("DELETE", "")

    def _refresh(self) -> None:
        self.tokens = self.control("GET", "")["tokens"]

    def __repr__(self) -> str:
        return f"World({self.id!r}, {self.url!r})"
