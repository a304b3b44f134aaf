<?php

require $argv[1];

while (($line = fgets(STDIN)) !== false) {
    [$scheme, $vendor, $now, $secrets, $body, $headers] = explode("\t", rtrim($line, "\n"));
    $keys = array_map(fn ($each) => base64_decode(substr($each, 1)), array_filter(explode(',', $secrets), 'strlen'));
    $pairs = [];
    foreach (array_filter(explode(',', $headers), 'strlen') as $each) {
        [$name, $value] = explode(':', $each);
        $pairs[$name] = base64_decode($value);
    }
    $data = base64_decode($body);
    $index = match ($scheme) {
        'folder' => TapedeckWebhook::verifyFolder($data, $pairs, $keys, $vendor),
        'audit' => TapedeckWebhook::verifyAudit($data, $pairs, $keys),
        'standard' => TapedeckWebhook::verifyStandard($data, $pairs, $keys, (int) $now),
    };
    echo $index ?? -1, "\n";
}
