"""Verifies Tapedeck's webhooks with Python's standard library alone (3.8 or newer).

Give the raw bytes of the body: request.get_data() in Flask, request.body in Django, await request.body() in FastAPI.
`secrets` is a list of strings, of one where none is being rotated. Each function gives the index of the secret that matched, or
None: answer 401 then. The first index is 0, so compare with None: `if index is None`.
"""

import base64
import hashlib
import hmac
import re
import time
from typing import Mapping, Optional, Sequence

TOLERANCE_SECONDS = 300


def verify_folder(
    body: bytes, headers: Mapping[str, str], secrets: Sequence[str], vendor: str = "Tapedeck"
) -> Optional[int]:
    """X-<Vendor>-Signature: sha256=<hex>."""
    _check(body, secrets)
    given = _header(headers, f"X-{vendor}-Signature")
    return _match(_text_keys(secrets), b"", body, [given], lambda digest: ["sha256=" + digest.hex()])


def verify_audit(body: bytes, headers: Mapping[str, str], secrets: Sequence[str]) -> Optional[int]:
    """X-Webhook-Signature: hex, sha256=<hex> or base64."""
    _check(body, secrets)
    given = _header(headers, "X-Webhook-Signature")

    def spellings(digest: bytes):
        return [digest.hex(), "sha256=" + digest.hex(), base64.b64encode(digest).decode()]

    return _match(_text_keys(secrets), b"", body, [given], spellings)


def verify_standard(
    body: bytes, headers: Mapping[str, str], secrets: Sequence[str], now: Optional[float] = None
) -> Optional[int]:
    """Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature."""
    _check(body, secrets)
    message_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    entries = re.split(",? +", _header(headers, "webhook-signature"))
    if not re.fullmatch(r"[!-\-/-~]+", message_id) or not re.fullmatch(r"0|[1-9][0-9]{0,14}", timestamp):
        return None
    entries = [entry for entry in entries if entry.startswith("v1,")]
    if len(entries) > 16:
        return None
    prefix = f"{message_id}.{timestamp}.".encode()
    keys = [_whsec_key(secret) for secret in secrets]
    index = _match(keys, prefix, body, entries, lambda digest: ["v1," + base64.b64encode(digest).decode()])
    seconds = int(time.time() if now is None else now)
    return index if abs(seconds - int(timestamp)) <= TOLERANCE_SECONDS else None


def _check(body: bytes, secrets: Sequence[str]) -> None:
    """A string is a sequence of its characters: taken for a list, each of them would be a secret."""
    if not isinstance(secrets, (list, tuple)) or not all(isinstance(secret, str) for secret in secrets):
        raise TypeError("secrets must be a list of strings")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the raw bytes")


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name.lower()), "")


def _text_keys(secrets: Sequence[str]):
    return [secret.encode() for secret in secrets]


def _whsec_key(secret: str) -> bytes:
    if not secret.startswith("whsec_"):
        return secret.encode()
    text = secret[len("whsec_") :].rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return b""


def _match(keys, prefix: bytes, body: bytes, given, spellings) -> Optional[int]:
    """Compares everything, in constant time; refuses an empty key, also where another one matches."""
    if not keys or b"" in keys:
        return None
    found = None
    for index, key in enumerate(keys):
        digest = hmac.new(key, prefix + body, hashlib.sha256).digest()
        for spelling in spellings(digest):
            for value in given:
                if hmac.compare_digest(spelling.encode(), value.encode("utf-8", "surrogatepass")) and found is None:
                    found = index
    return found
