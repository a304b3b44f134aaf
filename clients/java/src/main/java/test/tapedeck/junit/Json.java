package test.tapedeck.junit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON as maps, lists, strings, numbers, booleans and null, and writes strings. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value();
    reader.space();
    if (reader.at < text.length()) throw reader.failure();
    return value;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> objects(Object value) {
    return (List<Map<String, Object>>) value;
  }

  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      if (unit == '"' || unit == '\\') quoted.append('\\').append(unit);
      else if (unit < ' ') quoted.append(String.format("\\u%04x", (int) unit));
      else quoted.append(unit);
    }
    return quoted.append('"').toString();
  }

  private Object value() {
    space();
    if (at >= text.length()) throw failure();
    switch (text.charAt(at)) {
      case '{':
        return members();
      case '[':
        return items();
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    for (boolean isFirst = true; !take('}'); isFirst = false) {
      if (!isFirst) expect(',');
      space();
      String name = string();
      expect(':');
      members.put(name, value());
    }
    return members;
  }

  private List<Object> items() {
    List<Object> items = new ArrayList<>();
    at++;
    for (boolean isFirst = true; !take(']'); isFirst = false) {
      if (!isFirst) expect(',');
      items.add(value());
    }
    return items;
  }

  private String string() {
    expect('"');
    StringBuilder string = new StringBuilder();
    while (at < text.length()) {
      char unit = text.charAt(at++);
      if (unit == '"') return string.toString();
      string.append(unit == '\\' ? escape() : unit);
    }
    throw failure();
  }

  private char escape() {
    if (at >= text.length()) throw failure();
    char unit = text.charAt(at++);
    if (unit == 'u' && at + 4 <= text.length()) {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
    int control = "bfnrt".indexOf(unit);
    return control < 0 ? unit : "\b\f\n\r\t".charAt(control);
  }

  private Number number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    String digits = text.substring(start, at);
    try {
      if (digits.matches("-?\\d+")) return Long.valueOf(digits);
      return Double.valueOf(digits);
    } catch (NumberFormatException e) {
      throw failure();
    }
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw failure();
    at += word.length();
    return value;
  }

  private boolean take(char unit) {
    space();
    if (at >= text.length() || text.charAt(at) != unit) return false;
    at++;
    return true;
  }

  private void expect(char unit) {
    if (!take(unit)) throw failure();
  }

  private void space() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }

  private TapedeckException failure() {
    return new TapedeckException("not JSON at " + at + ": " + text);
  }
}
