import * as NodeCrypto from "node:crypto"
import { Context, Effect, Layer } from "effect"

/** Kinds of ids and secrets. The emulator derives each value from its seed, the kind and a counter of that kind. */
export type IdKind =
  | "recording"
  | "folder"
  | "automation"
  | "destination"
  | "delivery"
  | "redelivery"
  | "token"
  | "file"
  | "upload"
  | "secret"
  | "site"
  | "capture_link"
  | "capture"
  | "capture_upload"
  | "capture_secret"
  | "access_token"
  | "seal"
  | "audit_chain"
  | "session"
  | "session_secret"
  | "sign_in_link"
  | "known_browser"
  | "password_salt"
  | "share_link"
  | "share_token"

// The one place where production takes its randomness from.

const drawnBytes = 4_096
let drawn = Buffer.alloc(0)

/**
 * The nonce of a seal is no secret, but must not repeat. Nonces are drawn many at a time, because a draw costs more than a seal. Secrets
 * are drawn separately.
 */
const nonce = (length: number): Uint8Array => {
  if (drawn.length < length) drawn = NodeCrypto.randomBytes(drawnBytes) // allow-clock: the random source itself
  const taken = drawn.subarray(0, length)
  drawn = drawn.subarray(length)
  return taken
}

/** Unguessable bytes, from which ids, tokens and secrets are made. */
export class Ids extends Context.Service<
  Ids,
  {
    readonly bytes: (kind: IdKind, length: number) => Effect.Effect<Uint8Array>
  }
>()("@tapedeck/core/Ids") {
  static readonly layerRandom = Layer.succeed(
    Ids,
    Ids.of({
      bytes: (kind, length) =>
        Effect.sync(() => (kind === "seal" && length <= drawnBytes ? nonce(length) : NodeCrypto.randomBytes(length))) // allow-clock: the random source itself
    })
  )

  /** A version 4 UUID, in lower case. */
  static readonly uuid = Effect.fnUntraced(function* (kind: IdKind) {
    const ids = yield* Ids
    const bytes = Buffer.from(yield* ids.bytes(kind, 16))
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = bytes.toString("hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  })

  /** A `whsec_…` secret of 32 bytes (W2). */
  static readonly webhookSecret = Effect.gen(function* () {
    const ids = yield* Ids
    return `whsec_${Buffer.from(yield* ids.bytes("secret", 32)).toString("base64")}`
  })
}

/** The value of `X-Request-Id`, by which a log line is found. A stream of its own, so that it shifts no other id (R3). */
export class RequestIds extends Context.Service<
  RequestIds,
  {
    readonly next: () => string
  }
>()("@tapedeck/core/RequestIds") {
  static readonly layerRandom = Layer.succeed(RequestIds, RequestIds.of({ next: () => NodeCrypto.randomUUID() })) // allow-clock: the random source itself
}
