import { createHmac, createSecretKey } from "node:crypto"
import { signFolderWebhook, signStandardWebhook } from "@tapedeck/signing"
import { cert } from "@tapedeck/suites/certificate"
import { Agent, request } from "undici"
import { automationTo } from "./fixtures.ts"

export interface Sendable {
  readonly id: string
  readonly body: string
}

const { secret } = automationTo("")

/** The stored attempt, with as much as the server stores. */
export interface Outcome {
  readonly startedAt: number
  readonly endedAt: number
  readonly headers: Readonly<Record<string, string>>
  readonly statusCode: number
  readonly response: unknown
  readonly body: string
}

/** Both of the vendor's signatures, the older one and Standard Webhooks'. */
type Sign = (id: string, timestamp: number, body: Buffer) => { readonly folder: string; readonly standard: string }

/** Signs as a sender with our library does: it caches the keys. */
export const signWithLibrary: Sign = (id, timestamp, body) => ({
  folder: signFolderWebhook({ body, secret }),
  standard: signStandardWebhook({ id, timestamp, body, secret })
})

const folderKey = createSecretKey(Buffer.from(secret))
const standardKey = createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64"))

/** The least that signing can cost: two HMACs with keys that are made once. */
export const signBare: Sign = (id, timestamp, body) => ({
  folder: `sha256=${createHmac("sha256", folderKey).update(body).digest("hex")}`,
  standard: `v1,${createHmac("sha256", standardKey).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
})

/** The pool of connections that the server's dispatcher has (ReceiverAgent.ts). */
const agent = new Agent({
  connect: { ca: cert },
  allowH2: false,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 4_000,
  headersTimeout: 0,
  bodyTimeout: 0
})

/** Signs, posts, and reads the whole answer. */
export const attempt = async ({ body: text, id }: Sendable, url: string, sign: Sign): Promise<Outcome> => {
  const startedAt = Date.now()
  const sent = Buffer.from(text)
  const timestamp = Math.floor(startedAt / 1000)
  const { folder, standard } = sign(id, timestamp, sent)
  const headers = {
    "content-type": "application/json",
    "x-tapedeck-signature": folder,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard
  }
  const answer = await request(url, { dispatcher: agent, method: "POST", headers, body: sent })
  const body = await answer.body.text()
  const { headers: response, statusCode } = answer
  return { startedAt, endedAt: Date.now(), headers, statusCode, response, body }
}

/** An attempt's outcome without one, as large: for engines that are measured alone. */
export const withoutSending = ({ id }: Sendable): Outcome => {
  const startedAt = Date.now()
  return {
    startedAt,
    endedAt: startedAt,
    headers: {
      "content-type": "application/json",
      "x-tapedeck-signature": `sha256=${"0".repeat(64)}`,
      "webhook-id": id,
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${"0".repeat(43)}=`
    },
    statusCode: 200,
    response: { "content-type": "application/json", connection: "keep-alive" },
    body: '{"ok":true}'
  }
}
