package test.tapedeck.junit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** An emulator that runs: of {@code TAPEDECK_EMULATOR_URL}, or a process of its own, which all tests share. */
final class Emulator implements CloseableResource {
  private static final String COMMAND = "tapedeck-emulator";
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 10;
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);
  // The proxies of the environment do not reach an emulator on loopback.
  private static final HttpClient client = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();

  private final String url;
  private final Process process;

  private Emulator(String url, Process process) {
    this.url = url;
    this.process = process;
  }

  String url() {
    return url;
  }

  /** Connects to {@code TAPEDECK_EMULATOR_URL}. Without it, starts the command of {@code TAPEDECK_EMULATOR}, or that on the path. */
  static Emulator start(Map<String, String> environment) {
    String url = environment.getOrDefault("TAPEDECK_EMULATOR_URL", "").replaceAll("/+$", "");
    if (!url.isEmpty()) {
      call("GET", url + "/_emulator", null);
      return new Emulator(url, null);
    }
    String command = environment.getOrDefault("TAPEDECK_EMULATOR", "");
    if (command.isEmpty()) command = onPath(environment.getOrDefault("PATH", ""));
    // The emulator stops when its standard input ends, so it does not outlive a test run that was killed.
    List<String> line = List.of(command, "--port", "0", "--json", "--quiet", "--until-stdin-ends");
    Process process;
    try {
      process = new ProcessBuilder(line).start();
    } catch (IOException e) {
      throw new TapedeckException("cannot start " + command + ": " + e.getMessage(), e);
    }
    String ready = firstLine(process);
    if (ready == null) {
      process.destroyForcibly();
      throw new TapedeckException(command + " ended before it was ready: " + errors(process));
    }
    return new Emulator((String) Json.object(Json.parse(ready)).get("base_url"), process);
  }

  /** Returns the JSON of the response; null if it is empty. */
  static Object call(String method, String url, String json) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
            .header("Content-Type", "application/json")
            .timeout(CALL_TIMEOUT)
            .build();
    HttpResponse<String> response;
    try {
      response = client.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new TapedeckException(method + " " + url + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TapedeckException(method + " " + url + ": interrupted", e);
    }
    String body = response.body();
    if (response.statusCode() >= 300) {
      throw new TapedeckException(method + " " + url + ": " + response.statusCode() + " " + body);
    }
    return body.isEmpty() ? null : Json.parse(body);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (process == null) return;
    process.getOutputStream().close();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
  }

  private static String onPath(String path) {
    for (String folder : path.split(File.pathSeparator)) {
      File file = new File(folder, COMMAND);
      if (!folder.isEmpty() && file.canExecute()) return file.getPath();
    }
    throw new TapedeckException(
        "no emulator: set TAPEDECK_EMULATOR_URL to one that runs, or TAPEDECK_EMULATOR to the command "
            + COMMAND
            + ", or put the command on the PATH");
  }

  /** Returns null if the process ends before the line, or does not print it in time. */
  private static String firstLine(Process process) {
    BufferedReader output = process.inputReader();
    CompletableFuture<String> line =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return output.readLine();
              } catch (IOException e) {
                return null;
              }
            });
    try {
      return line.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException | TimeoutException e) {
      return null;
    }
  }

  private static String errors(Process process) {
    try {
      return new String(process.getErrorStream().readAllBytes()).strip();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
