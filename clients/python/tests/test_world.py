from datetime import datetime, timedelta, timezone

import pytest

from pytest_tapedeck import TapedeckError
from pytest_tapedeck.control import call

RECORDING = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"

pytestmark = pytest.mark.tapedeck(
    now="2026-03-01T00:00:00.000Z",
    fixtures={
        "users": [{"email": "ada@acme.test", "name": "Ada", "role": "admin", "token": "ada-token"}],
        "recordings": [{"uuid": RECORDING, "title": "Checkout fails"}],
        "folders": [{"id": "vip", "name": "VIP"}],
        "sinks": [{"id": "crm", "respond": [500, "timeout", 200]}],
        "automations": [{"id": "notify", "folder": "vip", "url": "sink:crm", "secret": "k"}],
    },
)


def test_a_webhook_is_retried_on_its_schedule(tapedeck_world):
    [id] = tapedeck_world.add_to_folder("vip", RECORDING)
    assert [event["kind"] for event in tapedeck_world.clock.pending][:1] == ["attempt"]
    fired = tapedeck_world.clock.advance("14h 36m")
    delivery = tapedeck_world.delivery(automation="notify")
    delivery.assert_attempts_at("0", "1m", "6m")
    assert (delivery.id, delivery.state, delivery.outcomes) == (id, "delivered", ["failure", "timeout", "success"])
    assert len(fired) == 3
    sink = tapedeck_world.sink("crm")
    sink.assert_attempts_at(0, timedelta(minutes=1), 360_000)
    assert sink.requests[0]["headers"]["x-tapedeck-signature"].startswith("sha256=")
    assert [entry["outcome"] for entry in tapedeck_world.journal(kind="attempt")] == delivery.outcomes


def test_a_wrong_schedule_fails_with_a_table(tapedeck_world):
    tapedeck_world.add_to_folder("vip", RECORDING)
    tapedeck_world.clock.advance("1m")
    delivery = tapedeck_world.delivery()
    with pytest.raises(AssertionError) as failure:
        delivery.assert_attempts_at("0", "2m", "6m")
    assert str(failure.value).splitlines() == [
        f"Delivery {delivery.id}: attempting: the attempts are not as expected",
        "    expected  elapsed  outcome",
        "    0         0        failure 500",
        "  ✗ 2m        –",
        "  ✗ 6m        –",
    ]
    with pytest.raises(ValueError, match="'soon' is not a duration"):
        delivery.assert_attempts_at("soon")


def test_the_world_has_tokens_a_clock_and_a_reset(tapedeck_world):
    assert tapedeck_world.tokens["ada@acme.test"] == "ada-token"
    assert tapedeck_world.clock.now == datetime(2026, 3, 1, tzinfo=timezone.utc)
    tapedeck_world.clock.advance_to("2026-03-02T00:00:00.000Z")
    assert tapedeck_world.clock.now == datetime(2026, 3, 2, tzinfo=timezone.utc)
    tapedeck_world.clock.advance_to(datetime(2026, 3, 3, tzinfo=timezone.utc))
    made = tapedeck_world.load({"users": [{"email": "bob@acme.test", "name": "Bob"}]})
    assert tapedeck_world.tokens["bob@acme.test"] == made["users"][0]["token"]
    tapedeck_world.reset()
    assert tapedeck_world.clock.now == datetime(2026, 3, 1, tzinfo=timezone.utc)
    assert "bob@acme.test" not in tapedeck_world.tokens


def test_the_clock_moves_to_the_next_event_and_until_idle(tapedeck_world):
    tapedeck_world.add_to_folder("vip", RECORDING)
    assert len(tapedeck_world.clock.next()) == 1
    tapedeck_world.clock.until_idle()
    assert tapedeck_world.delivery().state == "delivered"


def test_a_sink_can_be_created_for_a_test(tapedeck_world):
    sink = tapedeck_world.create_sink(respond=[503])
    tapedeck_world.load({"automations": [{"id": "second", "folder": "vip", "url": sink.url}]})
    tapedeck_world.add_to_folder("vip", RECORDING)
    tapedeck_world.clock.next()
    assert tapedeck_world.delivery(automation="second").outcomes == ["failure"]
    assert len(tapedeck_world.sink(sink.id).requests) == 1
    with pytest.raises(AssertionError, match="expected one delivery with any values, and there are 2"):
        tapedeck_world.delivery()


def test_a_refusal_names_its_reason(tapedeck_world):
    with pytest.raises(TapedeckError, match=r"PUT .*/clock: 400 .*mode"):
        tapedeck_world.control("PUT", "/clock", {"mode": "fast"})


@pytest.mark.tapedeck(now="2026-05-05T00:00:00.000Z")
def test_the_nearest_marker_counts_key_by_key(tapedeck_world):
    assert tapedeck_world.clock.now.month == 5
    assert "ada@acme.test" in tapedeck_world.tokens


def test_each_test_has_a_world_of_its_own(tapedeck_world, tapedeck_emulator):
    worlds = call("GET", f"{tapedeck_emulator.url}/_emulator/worlds")["worlds"]
    assert worlds == ["default", tapedeck_world.id]
