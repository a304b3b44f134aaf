using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Tapedeck;

public static class Harness
{
    private static string Decoded(string encoded) => Encoding.UTF8.GetString(Convert.FromBase64String(encoded));

    public static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var fields = line.Split('\t');
            var secrets = fields[3].Split(',').Where(each => each != "").Select(each => Decoded(each.Substring(1))).ToList();
            var headers = fields[5].Split(',').Where(each => each != "").Select(each => each.Split(':'))
                .ToDictionary(each => each[0], each => Decoded(each[1]));
            var body = Convert.FromBase64String(fields[4]);
            var now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(fields[2]));
            Console.WriteLine(
                fields[0] == "folder" ? Webhook.VerifyFolder(body, headers, secrets, fields[1])
                : fields[0] == "audit" ? Webhook.VerifyAudit(body, headers, secrets)
                : Webhook.VerifyStandard(body, headers, secrets, now));
        }
    }
}
