import { digest, digestSync, type HmacKey } from "#hmac"
import { type Body, toBytes } from "./body.ts"
import { SigningError } from "./errors.ts"
import {
  type AuditEncoding,
  auditHeader,
  defaultVendor,
  folderSignatureHeader,
  idHeader,
  isWebhookId,
  signatureHeader,
  timestampHeader
} from "./schemes.ts"
import { keyOf, keysOf, type Secret, type Secrets } from "./secrets.ts"

export interface SignFolderOptions {
  readonly body: Body
  readonly secret: Secret
}

export interface SignAuditOptions {
  readonly body: Body
  readonly secret: Secret
  readonly encoding: AuditEncoding
}

export interface SignStandardOptions {
  /** `webhook-id`: visible ASCII characters without a full stop. */
  readonly id: string
  /** `webhook-timestamp`: Unix time, in whole seconds. */
  readonly timestamp: number
  readonly body: Body
  readonly secret: Secret
}

const checkEncoding = (encoding: AuditEncoding): AuditEncoding => {
  if (encoding === "hex" || encoding === "sha256=hex" || encoding === "base64") return encoding
  throw new SigningError("option_invalid", { option: "encoding", expected: "one of hex, sha256=hex, base64" })
}

const signedPrefix = ({ id, timestamp }: Pick<SignStandardOptions, "id" | "timestamp">): string => {
  if (typeof id !== "string" || !isWebhookId(id)) {
    throw new SigningError("option_invalid", { option: "id", expected: "visible ASCII characters without a full stop" })
  }
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp >= 1e15) {
    throw new SigningError("option_invalid", { option: "timestamp", expected: "unix time in whole seconds" })
  }
  return `${id}.${timestamp}.`
}

const written = (encoding: AuditEncoding) => ({
  start: encoding === "sha256=hex" ? "sha256=" : "",
  digits: encoding === "base64" ? ("base64" as const) : ("hex" as const)
})

/** Returns the value of a folder webhook's signature header: `sha256=` and 64 lower-case hex digits. Requires `node:crypto`. */
export const signFolderWebhook = ({ body, secret }: SignFolderOptions): string =>
  `sha256=${digestSync(keyOf(secret, "text"), "", toBytes(body), "hex")}`

/** Returns the value of an audit webhook's `X-Webhook-Signature`. Requires `node:crypto`. */
export const signAuditWebhook = ({ body, secret, encoding }: SignAuditOptions): string => {
  const { start, digits } = written(checkEncoding(encoding))
  return start + digestSync(keyOf(secret, "text"), "", toBytes(body), digits)
}

/** Returns one entry of `webhook-signature`: `v1,` and base64, over `id.timestamp.body`. Requires `node:crypto`. */
export const signStandardWebhook = (options: SignStandardOptions): string =>
  `v1,${digestSync(keyOf(options.secret, "whsec"), signedPrefix(options), toBytes(options.body), "base64")}`

/** A delivery to sign, and its scheme. With several secrets, as during a rotation, `standard` writes an entry for each. */
export type SignOptions =
  | ({ readonly scheme: "folder"; readonly vendor?: string | undefined } & SignFolderOptions)
  | ({ readonly scheme: "audit"; readonly encoding?: AuditEncoding | undefined } & Omit<SignAuditOptions, "encoding">)
  | ({ readonly scheme: "standard"; readonly secret: Secrets } & Omit<SignStandardOptions, "secret">)

interface Plan {
  readonly keys: ReadonlyArray<HmacKey>
  readonly prefix: string
  readonly body: Uint8Array
  readonly digits: "hex" | "base64"
  readonly headers: (digests: ReadonlyArray<string>) => Record<string, string>
}

const planOf = (options: SignOptions): Plan => {
  const body = toBytes(options.body)
  switch (options.scheme) {
    case "folder": {
      const header = folderSignatureHeader(options.vendor ?? defaultVendor)
      const keys = [keyOf(options.secret, "text")]
      return { keys, prefix: "", body, digits: "hex", headers: ([digest]) => ({ [header]: `sha256=${digest}` }) }
    }
    case "audit": {
      const { start, digits } = written(checkEncoding(options.encoding ?? "hex"))
      const keys = [keyOf(options.secret, "text")]
      return { keys, prefix: "", body, digits, headers: ([digest]) => ({ [auditHeader]: start + digest }) }
    }
    case "standard":
      return {
        keys: keysOf(options.secret, "whsec", 1),
        prefix: signedPrefix(options),
        body,
        digits: "base64",
        headers: (digests) => ({
          [idHeader]: options.id,
          [timestampHeader]: String(options.timestamp),
          [signatureHeader]: digests.map((digest) => `v1,${digest}`).join(" ")
        })
      }
    default:
      throw new SigningError("option_invalid", { option: "scheme", expected: "one of standard, folder, audit" })
  }
}

/** Returns the headers that sign a delivery, for a sender or for a test of a receiver. */
export const sign = async (options: SignOptions): Promise<Record<string, string>> => {
  const { keys, prefix, body, digits, headers } = planOf(options)
  return headers(await Promise.all(keys.map((key) => digest(key, prefix, body, digits))))
}

/** Same as `sign`, but synchronous. Requires `node:crypto` (Node, Deno, Bun); throws `sync_unavailable` on other runtimes. */
export const signSync = (options: SignOptions): Record<string, string> => {
  const { keys, prefix, body, digits, headers } = planOf(options)
  return headers(keys.map((key) => digestSync(key, prefix, body, digits)))
}
