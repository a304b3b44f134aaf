import type { Body, HeadersLike, Scheme, Secrets, WebhookEvent } from "@tapedeck/signing"

export interface UnwrapOptions {
  /** The secret, or several while one is rotated: `[next, present]`. */
  readonly secret: Secrets
  /** How far `webhook-timestamp` may be from now. Giving it requires the header; else it is 300 where there is one. */
  readonly toleranceSeconds?: number | undefined
  /** The present time, or a promise of it. Default: the machine's clock. */
  readonly now?: (() => Date | PromiseLike<Date>) | undefined
  /** The one signature to accept. Default: the strongest that is there. */
  readonly scheme?: Scheme | undefined
  /** The word in `X-<Vendor>-Signature`. Default: `Tapedeck`. */
  readonly vendor?: string | undefined
}

const timestampHeader = "webhook-timestamp"

const headerOf = (headers: HeadersLike): string | undefined => {
  const entries =
    typeof (headers as Headers).get === "function" && !(headers instanceof Map)
      ? [[timestampHeader, (headers as Headers).get(timestampHeader)] as const]
      : headers instanceof Map
        ? [...headers]
        : Object.entries(headers)
  const value = entries.find(([name]) => String(name).toLowerCase() === timestampHeader)?.[1]
  return typeof value === "string" ? value : Array.isArray(value) ? value[0] : undefined
}

export class Webhooks {
  /**
   * Verifies a webhook and gives its event: `recording.added_to_folder`, or an entry of the audit log. `body` is the body
   * as it came, bytes or text, not parsed.
   *
   * @throws {SigningError} whose `code` says what is wrong: the header, the signature, the time or the body. For a payload
   * of one's own, use `verify` of `@tapedeck/signing`.
   */
  async unwrap(body: Body, headers: HeadersLike, options: UnwrapOptions): Promise<WebhookEvent> {
    const { SigningError, verifyEvent } = await import("@tapedeck/signing")
    const verified = await verifyEvent({ ...options, body, headers })
    const timestamp = Number(headerOf(headers))
    // The other schemes do not sign the time. Where one is given all the same, an old one is refused.
    if (verified.scheme !== "standard" && Number.isFinite(timestamp)) {
      const now = Math.floor(((await options.now?.()) ?? new Date()).getTime() / 1000)
      const bySeconds = Math.abs(now - timestamp) - 300
      const data = { timestamp, now, toleranceSeconds: 300, bySeconds }
      if (bySeconds > 0) throw new SigningError(now > timestamp ? "timestamp_too_old" : "timestamp_too_new", data)
    }
    return verified.event
  }
}
