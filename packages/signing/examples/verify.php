<?php

declare(strict_types=1);

/**
 * Verifies Tapedeck's webhooks with PHP alone (8.0 or newer).
 *
 * Give the raw bytes of the body: file_get_contents('php://input'), or $request->getContent() in Laravel and Symfony.
 * Headers are an array of names and values: getallheaders(). Secrets are an array of strings, of one where none is being rotated.
 * Each function gives the index of the secret that matched, or null: answer 401 then. The first index is 0, so compare with null:
 * $index === null.
 */
final class TapedeckWebhook
{
    private const TOLERANCE_SECONDS = 300;

    /** X-<Vendor>-Signature: sha256=<hex> */
    public static function verifyFolder(string $body, array $headers, array $secrets, string $vendor = 'Tapedeck'): ?int
    {
        self::check($secrets);
        $given = self::header($headers, "X-$vendor-Signature");
        return self::match($secrets, '', $body, [$given], fn (string $digest) => ['sha256=' . bin2hex($digest)]);
    }

    /** X-Webhook-Signature: hex, sha256=<hex> or base64 */
    public static function verifyAudit(string $body, array $headers, array $secrets): ?int
    {
        self::check($secrets);
        $given = self::header($headers, 'X-Webhook-Signature');
        $spellings = fn (string $digest) => [bin2hex($digest), 'sha256=' . bin2hex($digest), base64_encode($digest)];
        return self::match($secrets, '', $body, [$given], $spellings);
    }

    /** Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature. $now is unix time in seconds. */
    public static function verifyStandard(string $body, array $headers, array $secrets, ?int $now = null): ?int
    {
        self::check($secrets);
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        if (!preg_match('#\A[!-\-/-~]+\z#', $id) || !preg_match('/\A(?:0|[1-9][0-9]{0,14})\z/', $timestamp)) {
            return null;
        }
        $all = preg_split('/,? +/', self::header($headers, 'webhook-signature'));
        $entries = array_values(array_filter($all, fn (string $entry) => str_starts_with($entry, 'v1,')));
        if (count($entries) > 16) {
            return null;
        }
        $keys = array_map([self::class, 'whsecKey'], $secrets);
        $spellings = fn (string $digest) => ['v1,' . base64_encode($digest)];
        $index = self::match($keys, "$id.$timestamp.", $body, $entries, $spellings);
        return abs(($now ?? time()) - (int) $timestamp) <= self::TOLERANCE_SECONDS ? $index : null;
    }

    /** getenv() gives false where a variable is not set, which would be an empty key elsewhere. */
    private static function check(array $secrets): void
    {
        foreach ($secrets as $secret) {
            if (!is_string($secret)) {
                throw new TypeError('secrets must be an array of strings');
            }
        }
    }

    private static function header(array $headers, string $name): string
    {
        foreach ($headers as $key => $value) {
            if (strcasecmp((string) $key, $name) === 0) {
                return $value;
            }
        }
        return '';
    }

    private static function whsecKey(string $secret): string
    {
        if (!str_starts_with($secret, 'whsec_')) {
            return $secret;
        }
        $text = rtrim(substr($secret, strlen('whsec_')), '=');
        // base64_decode() passes over white space, even where it is strict.
        return preg_match('#\A[A-Za-z0-9+/]*\z#', $text) && strlen($text) % 4 !== 1 ? base64_decode($text) : '';
    }

    /** Compares everything, in constant time; refuses an empty key, also where another one matches. */
    private static function match(array $keys, string $prefix, string $body, array $given, callable $spellings): ?int
    {
        if (in_array('', $keys, true)) {
            return null;
        }
        $found = null;
        foreach (array_values($keys) as $index => $key) {
            foreach ($spellings(hash_hmac('sha256', $prefix . $body, $key, true)) as $expected) {
                foreach ($given as $value) {
                    if (hash_equals($expected, $value)) {
                        $found ??= $index;
                    }
                }
            }
        }
        return $found;
    }
}
