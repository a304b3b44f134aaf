import { createHash } from "node:crypto"
import { PayloadTooLarge } from "@tapedeck/contract"
import { InputMalformed } from "@tapedeck/core"
import { type DecodedInput, decodeInput } from "@tapedeck/domain/input"
import { type BodyLimit, RequestBody } from "@tapedeck/http"
import { Effect, type Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { PageContext } from "./PageContext.ts"
import { documentOf, type Page } from "./pages.ts"
import { style } from "./style.ts"

/** Maximum size of a form. All forms of the pages are smaller. */
export const formLimit: BodyLimit = {
  maxBytes: 16 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The form is larger than 16 KiB" })
}

/** The fields of a form; empty if the body is not a form. */
export const formOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Readonly<Record<string, string>>> => {
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") return Effect.succeed({})
  return Effect.map(RequestBody, (bytes) =>
    Object.fromEntries(new URLSearchParams(Buffer.from(bytes ?? []).toString()))
  )
}

/** The fields of a form as the input of a use case. */
export const inputOf = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  fields: Readonly<Record<string, string>>
): Effect.Effect<DecodedInput<S["Type"]>, InputMalformed> =>
  Effect.mapError(Effect.fromResult(decodeInput(schema)(fields)), (reason) => new InputMalformed({ reason }))

const styleHash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`

/** Allows only the style, and forms to this origin. */
const policy = `default-src 'none'; style-src ${styleHash}; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`

/** Sends the page's address to its own origin only: with no referrer browsers would send `Origin: null` with forms. */
const pageHeaders = { "referrer-policy": "same-origin", "cache-control": "no-store" }

type Located = Pick<PageContext, "basePath">

export const htmlPage = ({ basePath }: Located, page: Page, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(documentOf(page, basePath), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...pageHeaders, "content-security-policy": policy }
  })

/** A redirect that the browser follows with GET. */
export const seeOther = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { ...pageHeaders, location } })

/** A redirect to a page of this server, such as `/sign-in`. */
export const goTo = ({ basePath }: Located, path: string): HttpServerResponse.HttpServerResponse =>
  seeOther(`${basePath}${path}`)

/** A path of this server to continue with, with its base path; empty for anything else, so that no link leads to another site. */
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?:[\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?$/.test(next) ? next : ""

/** Continues at a path from `safeNext`, or with the console. */
export const onward = (context: Located, next: string): HttpServerResponse.HttpServerResponse =>
  next === "" ? goTo(context, "/") : seeOther(next)
