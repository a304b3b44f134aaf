package test.tapedeck.junit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as tests write them: {@code "0"}, {@code "1m"}, {@code "2h 36m"}. */
final class Durations {
  private static final Pattern PART = Pattern.compile("(\\d{1,9})\\s*(ms|d|h|m|s)\\s*");
  private static final Map<String, Long> UNITS_MS = new LinkedHashMap<>();

  static {
    UNITS_MS.put("d", 86_400_000L);
    UNITS_MS.put("h", 3_600_000L);
    UNITS_MS.put("m", 60_000L);
    UNITS_MS.put("s", 1_000L);
    UNITS_MS.put("ms", 1L);
  }

  private Durations() {}

  static long milliseconds(String duration) {
    if (duration.equals("0")) return 0;
    Matcher part = PART.matcher(duration);
    long sum = 0;
    int end = 0;
    while (end < duration.length() && part.find(end) && part.start() == end) {
      sum += Long.parseLong(part.group(1)) * UNITS_MS.get(part.group(2));
      end = part.end();
    }
    if (end == 0 || end < duration.length()) {
      throw new IllegalArgumentException(
          Json.quote(duration) + " is not a duration: write \"36m\", \"2h 36m\" or \"0\"");
    }
    return sum;
  }

  static String text(long milliseconds) {
    StringBuilder text = new StringBuilder();
    long rest = milliseconds;
    for (Map.Entry<String, Long> unit : UNITS_MS.entrySet()) {
      long count = rest / unit.getValue();
      rest %= unit.getValue();
      if (count > 0) text.append(text.length() == 0 ? "" : " ").append(count).append(unit.getKey());
    }
    return text.length() == 0 ? "0" : text.toString();
  }
}
