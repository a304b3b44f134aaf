package test.tapedeck.junit;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.AssertionFailedError;

/**
 * A world of the Tapedeck emulator for each test: an isolated copy of the service, with its own data, clock and receivers.
 *
 * <pre>{@code
 * @RegisterExtension
 * final TapedeckWorld world = TapedeckWorld.of("""
 *     {"fixtures": {"folders": [{"id": "vip", "name": "VIP"}]}}""");
 * }</pre>
 *
 * <p>It connects to the emulator of {@code TAPEDECK_EMULATOR_URL}. Without it, the first test starts the command of {@code
 * TAPEDECK_EMULATOR}, or {@code tapedeck-emulator} on the path, until the last test has ended. Declare it as a field of the
 * instance: a static one would be one world for all tests that run at a time.
 */
public final class TapedeckWorld implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TapedeckWorld.class);

  private final String options;
  private final Clock clock = new Clock(this);
  private Map<String, Object> state;

  private TapedeckWorld(String options) {
    this.options = options;
  }

  /** Declares a world. The options are the JSON of {@code POST /_emulator/worlds}: fixtures, config, now, seed. */
  public static TapedeckWorld of(String options) {
    return new TapedeckWorld(options);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Emulator emulator =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(Emulator.class, key -> Emulator.start(System.getenv()), Emulator.class);
    state = Json.object(Emulator.call("POST", emulator.url() + "/_emulator/worlds", options));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (state != null) control("DELETE", "", null);
    state = null;
  }

  /** Returns the base URL: the API is at {@code url() + "/api/v2"}. */
  public String url() {
    return (String) state.get("base_url");
  }

  /** Returns the access token of a user. */
  public String token(String email) {
    return (String) Json.object(state.get("tokens")).get(email);
  }

  public Clock clock() {
    return clock;
  }

  /** Calls the control plane, and returns the JSON of the response. {@code /openapi.json} describes every call. */
  public Object control(String method, String path, String json) {
    return Emulator.call(method, state.get("control_url") + path, json);
  }

  /** Adds a fixture document, all of it or nothing. Returns what was made, with ids, tokens and secrets. */
  public Map<String, Object> load(String fixtures) {
    Map<String, Object> made = Json.object(control("POST", "/fixtures", fixtures));
    state = Json.object(control("GET", "", null));
    return made;
  }

  /** Puts a recording into a folder, which triggers its automations. */
  public void addToFolder(String folder, String recording) {
    control("POST", "/folders/" + encoded(folder) + "/recordings", "{\"recording\": " + Json.quote(recording) + "}");
  }

  /** Returns the deliveries, by {@code state}, {@code automation}, {@code destination} or {@code recording}. */
  public List<Delivery> deliveries(Map<String, String> filters) {
    String query =
        filters.entrySet().stream()
            .map(filter -> filter.getKey() + "=" + encoded(filter.getValue()))
            .collect(Collectors.joining("&"));
    Map<String, Object> answer = Json.object(control("GET", "/deliveries?" + query, null));
    return Json.objects(answer.get("deliveries")).stream().map(Delivery::new).toList();
  }

  /** Returns the only delivery of an automation. Fails if there is none, or more than one. */
  public Delivery delivery(String automation) {
    List<Delivery> found = deliveries(Map.of("automation", automation));
    if (found.size() == 1) return found.get(0);
    throw new AssertionFailedError("expected one delivery of " + automation + ", and there are " + found.size());
  }

  /** Creates a receiver inside the emulator. The JSON is that of {@code POST /sinks}: {@code {"respond": [500, "timeout", 200]}}. */
  public Sink createSink(String json) {
    return new Sink(Json.object(control("POST", "/sinks", json)));
  }

  /** Returns a sink with the requests that it has received. */
  public Sink sink(String id) {
    return new Sink(Json.object(control("GET", "/sinks/" + encoded(id), null)));
  }

  /** Returns the world to its start. */
  public void reset() {
    state = Json.object(control("POST", "/reset", null));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
