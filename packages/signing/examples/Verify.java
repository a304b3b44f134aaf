import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies Tapedeck's webhooks with the JDK alone (11 or newer).
 *
 * <p>Give the raw bytes of the body: {@code @RequestBody byte[] body} in Spring, {@code request.getInputStream()} in a
 * servlet. Headers are names and values: {@code @RequestHeader Map<String, String> headers} in Spring. Each method gives the
 * index of the secret that matched, or -1: answer 401 then.
 */
public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  private interface Spelling {
    List<String> of(byte[] digest);
  }

  private Verify() {}

  /** X-&lt;Vendor&gt;-Signature: sha256=&lt;hex&gt;. */
  public static int folder(byte[] body, Map<String, String> headers, List<String> secrets, String vendor) {
    String given = header(headers, "X-" + vendor + "-Signature");
    return match(textKeys(secrets), "", body, List.of(given), digest -> List.of("sha256=" + hex(digest)));
  }

  /** X-Webhook-Signature: hex, sha256=&lt;hex&gt; or base64. */
  public static int audit(byte[] body, Map<String, String> headers, List<String> secrets) {
    String given = header(headers, "X-Webhook-Signature");
    return match(textKeys(secrets), "", body, List.of(given),
        digest -> List.of(hex(digest), "sha256=" + hex(digest), Base64.getEncoder().encodeToString(digest)));
  }

  /** Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature. Now is unix time in seconds. */
  public static int standard(byte[] body, Map<String, String> headers, List<String> secrets, long now) {
    String id = header(headers, "webhook-id");
    String timestamp = header(headers, "webhook-timestamp");
    if (!id.matches("[!-\\-/-~]+") || !timestamp.matches("0|[1-9][0-9]{0,14}")) return -1;
    List<String> entries = new ArrayList<>();
    for (String entry : header(headers, "webhook-signature").split(",? +")) {
      if (entry.startsWith("v1,")) entries.add(entry);
    }
    if (entries.size() > 16) return -1;
    List<byte[]> keys = new ArrayList<>();
    for (String secret : secrets) keys.add(whsecKey(secret));
    int index = match(keys, id + "." + timestamp + ".", body, entries,
        digest -> List.of("v1," + Base64.getEncoder().encodeToString(digest)));
    return Math.abs(now - Long.parseLong(timestamp)) <= TOLERANCE_SECONDS ? index : -1;
  }

  private static String header(Map<String, String> headers, String name) {
    for (Map.Entry<String, String> header : headers.entrySet()) {
      if (name.equalsIgnoreCase(header.getKey()) && header.getValue() != null) return header.getValue();
    }
    return "";
  }

  private static List<byte[]> textKeys(List<String> secrets) {
    List<byte[]> keys = new ArrayList<>();
    for (String secret : secrets) keys.add(secret.getBytes(StandardCharsets.UTF_8));
    return keys;
  }

  private static byte[] whsecKey(String secret) {
    if (!secret.startsWith("whsec_")) return secret.getBytes(StandardCharsets.UTF_8);
    try {
      return Base64.getDecoder().decode(secret.substring("whsec_".length()));
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }

  /** Compares everything, in constant time; refuses an empty key, also where another one matches. */
  private static int match(List<byte[]> keys, String prefix, byte[] body, List<String> given, Spelling spelling) {
    int found = -1;
    for (byte[] key : keys) {
      if (key.length == 0) return -1;
    }
    for (int index = 0; index < keys.size(); index++) {
      for (String expected : spelling.of(hmac(keys.get(index), prefix, body))) {
        for (String value : given) {
          boolean equal = MessageDigest.isEqual(
              expected.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
          if (equal && found < 0) found = index;
        }
      }
    }
    return found;
  }

  private static byte[] hmac(byte[] key, String prefix, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(prefix.getBytes(StandardCharsets.US_ASCII));
      return mac.doFinal(body);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) text.append(String.format("%02x", each));
    return text.toString();
  }
}
