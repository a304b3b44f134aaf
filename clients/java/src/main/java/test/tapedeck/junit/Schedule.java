package test.tapedeck.junit;

import java.util.ArrayList;
import java.util.List;
import org.opentest4j.AssertionFailedError;

/** Compares the times of attempts. */
final class Schedule {
  /** An attempt, in milliseconds after the first one. */
  record Row(long elapsedMs, String outcome) {}

  private Schedule() {}

  static void assertTimes(String title, List<Row> made, String... elapsed) {
    List<String> expected = new ArrayList<>();
    for (String each : elapsed) expected.add(Durations.text(Durations.milliseconds(each)));
    List<String> found = made.stream().map(row -> Durations.text(row.elapsedMs())).toList();
    if (found.equals(expected)) return;
    StringBuilder table = new StringBuilder(title).append(": the attempts are not as expected\n");
    table.append(String.format("    %-9s %-9s %s", "expected", "elapsed", "outcome"));
    for (int index = 0; index < Math.max(made.size(), expected.size()); index++) {
      String want = index < expected.size() ? expected.get(index) : "–";
      String got = index < found.size() ? found.get(index) : "–";
      String outcome = index < made.size() ? made.get(index).outcome() : "";
      table.append(String.format("%n  %s %-9s %-9s %s", want.equals(got) ? " " : "✗", want, got, outcome));
    }
    throw new AssertionFailedError(table.toString(), expected, found);
  }
}
