package test.tapedeck.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.AssertionFailedError;

class TapedeckWorldTest {
  static final String RECORDING = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f";

  @RegisterExtension
  final TapedeckWorld world =
      TapedeckWorld.of(
          """
          {"now": "2026-03-01T00:00:00.000Z", "fixtures": {
            "users": [{"email": "ada@acme.test", "name": "Ada", "role": "admin", "token": "ada-token"}],
            "recordings": [{"uuid": "%s", "title": "Checkout fails"}],
            "folders": [{"id": "vip", "name": "VIP"}],
            "sinks": [{"id": "crm", "respond": [500, "timeout", 200]}],
            "automations": [{"id": "notify", "folder": "vip", "url": "sink:crm", "secret": "k"}]
          }}"""
              .formatted(RECORDING));

  @Test
  void aWebhookIsRetriedOnItsSchedule() {
    world.addToFolder("vip", RECORDING);
    assertEquals("attempt", world.clock().pending().get(0).get("kind"));
    assertEquals(3, world.clock().advance("14h 36m").size());
    Delivery delivery = world.delivery("notify");
    delivery.assertAttemptsAt("0", "1m", "6m");
    assertEquals("delivered", delivery.state());
    assertEquals(List.of("failure", "timeout", "success"), delivery.outcomes());
    Sink sink = world.sink("crm");
    sink.assertAttemptsAt("0", "60s", "6m");
    Map<String, Object> body = Json.object(Json.parse((String) sink.requests().get(0).get("body")));
    assertEquals("recording.added_to_folder", body.get("event"));
  }

  @Test
  void aWrongScheduleFailsWithATable() {
    world.addToFolder("vip", RECORDING);
    world.clock().next();
    Delivery delivery = world.delivery("notify");
    var failure = assertThrows(AssertionFailedError.class, () -> delivery.assertAttemptsAt("0", "2m"));
    assertEquals(
        List.of(
            "Delivery " + delivery.id() + ": waiting: the attempts are not as expected",
            "    expected  elapsed   outcome",
            "    0         0         failure 500",
            "  ✗ 2m        –"),
        failure.getMessage().lines().map(String::stripTrailing).toList());
    assertThrows(IllegalArgumentException.class, () -> delivery.assertAttemptsAt("soon"));
    assertThrows(AssertionFailedError.class, () -> world.delivery("other"));
  }

  @Test
  void theWorldHasTokensAClockAndAReset() {
    Instant start = Instant.parse("2026-03-01T00:00:00Z");
    assertEquals("ada-token", world.token("ada@acme.test"));
    assertEquals(start, world.clock().now());
    world.clock().advanceTo(start.plus(Duration.ofDays(2)));
    assertEquals(start.plus(Duration.ofDays(2)), world.clock().now());
    Sink sink = world.createSink("{\"respond\": [503]}");
    world.load(
        """
        {"users": [{"email": "bob@acme.test", "name": "Bob"}],
         "automations": [{"id": "second", "folder": "vip", "url": "%s"}]}"""
            .formatted(sink.url()));
    assertTrue(world.token("bob@acme.test").length() > 0);
    world.addToFolder("vip", RECORDING);
    world.clock().untilIdle();
    assertEquals("permanently_failed", world.delivery("second").state());
    assertEquals(6, world.sink(sink.id()).requests().size());
    world.reset();
    assertEquals(start, world.clock().now());
    assertNull(world.token("bob@acme.test"));
  }

  @Test
  void aRefusalNamesItsReason() {
    var failure = assertThrows(TapedeckException.class, () -> world.control("PUT", "/clock", "{\"mode\": \"fast\"}"));
    assertTrue(failure.getMessage().contains("/clock: 400 "), failure.getMessage());
  }

  @Test
  void aMissingEmulatorIsAnErrorWithItsReason() {
    for (var each :
        Map.of(
                "no emulator: set TAPEDECK_EMULATOR_URL", Map.of("PATH", "/nowhere"),
                "cannot start /nowhere", Map.of("TAPEDECK_EMULATOR", "/nowhere"),
                "false ended before it was ready", Map.of("TAPEDECK_EMULATOR", "false"),
                "GET http://127.0.0.1:1/_emulator: ", Map.of("TAPEDECK_EMULATOR_URL", "http://127.0.0.1:1/"))
            .entrySet()) {
      var failure = assertThrows(TapedeckException.class, () -> Emulator.start(each.getValue()));
      assertTrue(failure.getMessage().startsWith(each.getKey()), failure.getMessage());
    }
  }

  @Test
  void jsonIsRead() {
    assertEquals(
        Map.of("a", List.of(1L, -2.5, true, "\u00e4\n\"\\/", Map.of()), "b", List.of()),
        Json.parse(" {\"a\": [1, -25e-1, true, \"\\u00e4\\n\\\"\\\\\\/\", {}], \"b\" : [ ] } "));
    assertEquals(Arrays.asList((Object) null), Json.parse("[null]"));
    assertEquals("\"a\\\"\\\\\\u000a\"", Json.quote("a\"\\\n"));
    for (String text : List.of("", "{", "[1,]", "{\"a\"}", "nul", "1 2", "\"a", "-")) {
      assertThrows(TapedeckException.class, () -> Json.parse(text), text);
    }
  }
}
