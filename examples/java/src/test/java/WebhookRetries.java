import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A webhook's retries, all 14 h 36 min of them, in the time of a unit test.
 *
 * <p>Start the emulator ({@code npx tapedeck-emulator}), then run this with JUnit ({@code mvn test}: see
 * WebhookRetriesTest) or, without anything but Java 17, as {@code java src/test/java/WebhookRetries.java}. TAPEDECK_URL
 * says where the emulator is (http://127.0.0.1:4010). Each test has a world of its own there, so tests may run in
 * parallel. JSON is read with regular expressions only so that this file needs no library.
 */
public final class WebhookRetries {
  private static final String SECRET = "our-shared-secret";
  private static final String RECORDING = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f";

  /** What the receiver got. */
  record Webhook(boolean genuine, String id, String event) {}

  /** The receiver under test: it verifies each webhook, and answers with the next status. */
  static final class Receiver implements AutoCloseable {
    final List<Webhook> log = new CopyOnWriteArrayList<>();
    private final List<Integer> statuses;
    private final HttpServer server;

    Receiver(Integer... statuses) throws IOException {
      this.statuses = List.of(statuses);
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/hook", this::receive);
      server.start();
    }

    String url() {
      return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
    }

    private void receive(HttpExchange exchange) throws IOException {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String signature = exchange.getRequestHeaders().getFirst("X-Tapedeck-Signature");
      // Compared in constant time.
      boolean genuine =
          signature != null && MessageDigest.isEqual(signatureOf(body).getBytes(), signature.getBytes());
      String event = first("\"event\":\"([^\"]+)\"", new String(body, StandardCharsets.UTF_8));
      log.add(new Webhook(genuine, exchange.getRequestHeaders().getFirst("webhook-id"), event));
      exchange.sendResponseHeaders(genuine && log.size() <= statuses.size() ? statuses.get(log.size() - 1) : 401, -1);
      exchange.close();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  /** A world of the test's own in the emulator, which goes with it. */
  static final class World implements AutoCloseable {
    private static final HttpClient client = HttpClient.newHttpClient();
    private final String control;

    World(String fixtures) throws IOException, InterruptedException {
      String emulator = System.getenv().getOrDefault("TAPEDECK_URL", "http://127.0.0.1:4010");
      String made = call("POST", emulator + "/_emulator/worlds", "{\"fixtures\": " + fixtures + "}");
      control = first("\"control_url\":\"([^\"]+)\"", made);
    }

    String get(String path) throws IOException, InterruptedException {
      return call("GET", control + path, "");
    }

    String post(String path, String json) throws IOException, InterruptedException {
      return call("POST", control + path, json);
    }

    @Override
    public void close() throws IOException, InterruptedException {
      call("DELETE", control, "");
    }

    private static String call(String method, String url, String body) throws IOException, InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url))
              .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
              .header("Content-Type", "application/json")
              .build();
      var answer = client.send(request, BodyHandlers.ofString());
      if (answer.statusCode() >= 300) {
        throw new AssertionError(method + " " + url + ": " + answer.statusCode() + "\n" + answer.body());
      }
      return answer.body();
    }
  }

  public void aWebhookIsRetriedUntilTheReceiverIsBack() throws IOException, InterruptedException {
    try (var receiver = new Receiver(500, 500, 500, 500, 500, 200);
        var world =
            new World(
                """
                {
                  "recordings": [{"uuid": "%s", "title": "Checkout fails"}],
                  "folders": [{"id": "vip", "name": "VIP"}],
                  "automations": [{"id": "notify", "folder": "vip", "url": "%s", "secret": "%s"}]
                }"""
                    .formatted(RECORDING, receiver.url(), SECRET))) {
      world.post("/folders/vip/recordings", "{\"recording\": \"%s\"}".formatted(RECORDING));
      String moved = world.post("/clock/advance", "{\"by\": \"PT14H36M\"}");
      String deliveries = world.get("/deliveries?automation=notify");

      var minutes = all("\"elapsed_ms\":(\\d+)", moved).stream().map(ms -> Long.parseLong(ms) / 60_000).toList();
      same(List.of(0L, 1L, 6L, 36L, 156L, 876L), minutes);
      same(
          List.of("failure", "failure", "failure", "failure", "failure", "success"),
          all("\"outcome\":\"(\\w+)\"", moved));
      same(List.of("delivered"), all("\"state\":\"(\\w+)\"", deliveries));
      same(6, receiver.log.size());
      for (Webhook webhook : receiver.log) {
        // A retry has the first attempt's id, so that it can be recognized.
        same(new Webhook(true, receiver.log.get(0).id(), "recording.added_to_folder"), webhook);
      }
    }
  }

  private static String signatureOf(byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1)).toList();
  }

  private static String first(String pattern, String text) {
    return all(pattern, text).stream().findFirst().orElse("");
  }

  private static void same(Object expected, Object found) {
    if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
  }

  public static void main(String[] args) throws Exception {
    new WebhookRetries().aWebhookIsRetriedUntilTheReceiverIsBack();
    System.out.println("passed: a webhook is retried until the receiver is back");
  }
}
