package test.tapedeck.junit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A receiver inside the emulator.
 *
 * @param data the control plane's JSON
 */
public record Sink(Map<String, Object> data) {
  public String id() {
    return (String) data.get("id");
  }

  /** Returns the URL, which only deliveries of the sink's world reach. */
  public String url() {
    return (String) data.get("url");
  }

  /** Returns the requests, with {@code at}, {@code method}, {@code path}, {@code headers}, {@code body} and {@code outcome}. */
  public List<Map<String, Object>> requests() {
    return data.containsKey("requests") ? Json.objects(data.get("requests")) : List.of();
  }

  /** Passes if each delivery to this sink made its requests at exactly these times after the first. */
  public void assertAttemptsAt(String... elapsed) {
    Map<Object, List<Schedule.Row>> deliveries = new LinkedHashMap<>();
    Map<Object, Instant> first = new LinkedHashMap<>();
    for (Map<String, Object> request : requests()) {
      Object delivery = Json.object(request.get("headers")).get("webhook-id");
      Instant at = Instant.parse((String) request.get("at"));
      Duration since = Duration.between(first.computeIfAbsent(delivery, key -> at), at);
      deliveries
          .computeIfAbsent(delivery, key -> new ArrayList<>())
          .add(new Schedule.Row(since.toMillis(), String.valueOf(request.get("outcome"))));
    }
    if (deliveries.isEmpty()) Schedule.assertTimes("Sink " + id(), List.of(), elapsed);
    for (List<Schedule.Row> rows : deliveries.values()) Schedule.assertTimes("Sink " + id(), rows, elapsed);
  }
}
