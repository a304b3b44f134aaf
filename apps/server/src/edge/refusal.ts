import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"

/** A refusal that comes before there is a request: there is no path yet that would say in whose shape, so it has v2's (R2). */
export const rawRefusal = (status: number, message: string): string => {
  const body = JSON.stringify({ error: message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${randomUUID()}`,
    "x-content-type-options: nosniff",
    "cache-control: no-store",
    "connection: close",
    "",
    body
  ].join("\r\n")
}
