import { createHash } from "node:crypto"
import { PayloadTooLarge } from "@tapedeck/contract"
import { type BodyLimit, RequestBody } from "@tapedeck/http"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { style } from "./style.ts"

/** Every form of the pages is far smaller. */
export const formLimit: BodyLimit = {
  maxBytes: 16 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The form is larger than 16 KiB" })
}

/** What a form sent, by its fields' names; nothing of what is no form. */
export const formOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Readonly<Record<string, string>>> => {
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") return Effect.succeed({})
  return Effect.map(RequestBody, (bytes) =>
    Object.fromEntries(new URLSearchParams(Buffer.from(bytes ?? []).toString()))
  )
}

const styleHash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`

/** Nothing but the style runs or shows, and forms go nowhere else. */
const policy = `default-src 'none'; style-src ${styleHash}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** Of its own origin alone a page's address is told, for the browser would say `Origin: null` of its forms otherwise. */
const own = { "referrer-policy": "same-origin", "cache-control": "no-store" }

export const htmlPage = (html: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...own, "content-security-policy": policy }
  })

/** The browser goes on there with a GET. */
export const seeOther = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { ...own, location } })

/** A path of this server, to go on with; empty for anything else: nobody is sent to another site. */
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?:[\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?$/.test(next) ? next : ""
