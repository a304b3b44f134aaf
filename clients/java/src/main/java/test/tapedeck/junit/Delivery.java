package test.tapedeck.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One webhook: its state and its attempts.
 *
 * @param data the control plane's JSON
 */
public record Delivery(Map<String, Object> data) {
  public String id() {
    return (String) data.get("id");
  }

  /**
   * Returns {@code scheduled}, {@code attempting}, {@code waiting}, {@code delivered}, {@code permanently_failed}, {@code
   * cancelled} or {@code skipped}.
   */
  public String state() {
    return (String) data.get("state");
  }

  public List<Map<String, Object>> attempts() {
    return Json.objects(data.get("attempts"));
  }

  /** Returns the outcomes of the attempts, such as {@code failure}, {@code timeout}, {@code success}. */
  public List<String> outcomes() {
    return attempts().stream().map(attempt -> (String) attempt.get("outcome")).toList();
  }

  /** Passes if the attempts were made at exactly these times after the first: {@code "0", "1m", "6m"}. */
  public void assertAttemptsAt(String... elapsed) {
    List<Schedule.Row> rows = new ArrayList<>();
    for (Map<String, Object> attempt : attempts()) {
      Object status = attempt.get("status_code");
      String outcome = attempt.get("outcome") + (status == null ? "" : " " + status);
      rows.add(new Schedule.Row((Long) attempt.get("elapsed_ms"), outcome));
    }
    Schedule.assertTimes("Delivery " + id() + ": " + state(), rows, elapsed);
  }
}
