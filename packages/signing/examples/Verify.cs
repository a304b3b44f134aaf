using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Tapedeck
{
    /// <summary>
    /// Verifies Tapedeck's webhooks with .NET alone (.NET Core 2.1 or newer). Give the raw bytes of the body: in ASP.NET Core
    /// copy Request.Body to a MemoryStream, before model binding. Headers are names and values:
    /// Request.Headers.ToDictionary(each => each.Key, each => each.Value.ToString()). Each method gives the index of the secret
    /// that matched, or -1: answer 401 then.
    /// </summary>
    public static class Webhook
    {
        private const long ToleranceSeconds = 300;

        /// <summary>X-Vendor-Signature: sha256= and hex.</summary>
        public static int VerifyFolder(
            byte[] body, IReadOnlyDictionary<string, string> headers, IReadOnlyList<string> secrets, string vendor = "Tapedeck")
        {
            var given = new[] { Header(headers, "X-" + vendor + "-Signature") };
            return Match(TextKeys(secrets), "", body, given, digest => new[] { "sha256=" + Hex(digest) });
        }

        /// <summary>X-Webhook-Signature: hex, sha256= and hex, or base64.</summary>
        public static int VerifyAudit(
            byte[] body, IReadOnlyDictionary<string, string> headers, IReadOnlyList<string> secrets)
        {
            var given = new[] { Header(headers, "X-Webhook-Signature") };
            return Match(TextKeys(secrets), "", body, given,
                digest => new[] { Hex(digest), "sha256=" + Hex(digest), Convert.ToBase64String(digest) });
        }

        /// <summary>Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.</summary>
        public static int VerifyStandard(
            byte[] body, IReadOnlyDictionary<string, string> headers, IReadOnlyList<string> secrets, DateTimeOffset now)
        {
            var id = Header(headers, "webhook-id");
            var timestamp = Header(headers, "webhook-timestamp");
            if (!Regex.IsMatch(id, @"\A[\x21-\x2D\x2F-\x7E]+\z") || !Regex.IsMatch(timestamp, @"\A(?:0|[1-9][0-9]{0,14})\z")) return -1;
            var entries = Regex.Split(Header(headers, "webhook-signature"), ",? +")
                .Where(entry => entry.StartsWith("v1,", StringComparison.Ordinal)).ToArray();
            if (entries.Length > 16) return -1;
            var index = Match(secrets.Select(WhsecKey).ToArray(), id + "." + timestamp + ".", body, entries,
                digest => new[] { "v1," + Convert.ToBase64String(digest) });
            return Math.Abs(now.ToUnixTimeSeconds() - long.Parse(timestamp)) <= ToleranceSeconds ? index : -1;
        }

        private static string Header(IReadOnlyDictionary<string, string> headers, string name) =>
            headers.Where(header => header.Key.Equals(name, StringComparison.OrdinalIgnoreCase))
                .Select(header => header.Value).FirstOrDefault() ?? "";

        private static byte[][] TextKeys(IReadOnlyList<string> secrets) => secrets.Select(Encoding.UTF8.GetBytes).ToArray();

        private static byte[] WhsecKey(string secret)
        {
            if (!secret.StartsWith("whsec_", StringComparison.Ordinal)) return Encoding.UTF8.GetBytes(secret);
            var text = secret.Substring("whsec_".Length).TrimEnd('=');
            if (!Regex.IsMatch(text, @"\A[A-Za-z0-9+/]*\z") || text.Length % 4 == 1) return new byte[0];
            return Convert.FromBase64String(text.PadRight((text.Length + 3) / 4 * 4, '='));
        }

        // Compares everything, in constant time; refuses an empty key, also where another one matches.
        private static int Match(
            byte[][] keys, string prefix, byte[] body, IReadOnlyList<string> given, Func<byte[], string[]> spellings)
        {
            if (keys.Any(key => key.Length == 0)) return -1;
            var signed = Encoding.ASCII.GetBytes(prefix).Concat(body).ToArray();
            var found = -1;
            for (var index = 0; index < keys.Length; index++)
            {
                using (var hmac = new HMACSHA256(keys[index]))
                {
                    foreach (var expected in spellings(hmac.ComputeHash(signed)))
                    {
                        foreach (var value in given)
                        {
                            var equal = CryptographicOperations.FixedTimeEquals(
                                Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(value));
                            if (equal && found < 0) found = index;
                        }
                    }
                }
            }
            return found;
        }

        private static string Hex(byte[] bytes) => string.Concat(bytes.Select(each => each.ToString("x2")));
    }
}
