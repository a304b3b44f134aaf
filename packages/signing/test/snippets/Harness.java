import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Harness {
  private static String text(String encoded) {
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      String[] fields = line.split("\t", -1);
      List<String> secrets = new ArrayList<>();
      for (String each : fields[3].split(",")) if (!each.isEmpty()) secrets.add(text(each.substring(1)));
      Map<String, String> headers = new LinkedHashMap<>();
      for (String each : fields[5].split(",")) {
        if (!each.isEmpty()) headers.put(each.split(":", -1)[0], text(each.split(":", -1)[1]));
      }
      byte[] body = Base64.getDecoder().decode(fields[4]);
      switch (fields[0]) {
        case "folder":
          System.out.println(Verify.folder(body, headers, secrets, fields[1]));
          break;
        case "audit":
          System.out.println(Verify.audit(body, headers, secrets));
          break;
        default:
          System.out.println(Verify.standard(body, headers, secrets, Long.parseLong(fields[2])));
      }
    }
  }
}
