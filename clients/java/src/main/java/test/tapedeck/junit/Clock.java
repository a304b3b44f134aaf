package test.tapedeck.junit;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The world's clock. It stands still until a test moves it, and a move returns when all that fell due has happened. */
public final class Clock {
  private final TapedeckWorld world;

  Clock(TapedeckWorld world) {
    this.world = world;
  }

  /** Returns the world's time. */
  public Instant now() {
    return Instant.parse((String) Json.object(world.control("GET", "/clock", null)).get("now"));
  }

  /** Returns the future events, in the order in which they will fire. */
  public List<Map<String, Object>> pending() {
    return Json.objects(Json.object(world.control("GET", "/clock", null)).get("pending"));
  }

  /** Moves the clock by a duration, such as {@code "14h 36m"}. Returns the events that fired. */
  public List<Map<String, Object>> advance(String by) {
    return move("\"by\": " + Durations.milliseconds(by));
  }

  /** Moves the clock to an instant. */
  public List<Map<String, Object>> advanceTo(Instant instant) {
    return move("\"to\": " + Json.quote(instant.toString()));
  }

  /** Moves the clock to the next instant at which anything is due. */
  public List<Map<String, Object>> next() {
    return move("\"next\": true");
  }

  /** Moves the clock until nothing is pending. */
  public List<Map<String, Object>> untilIdle() {
    return move("\"until\": \"idle\"");
  }

  private List<Map<String, Object>> move(String move) {
    return Json.objects(Json.object(world.control("POST", "/clock/advance", "{" + move + "}")).get("fired"));
  }
}
