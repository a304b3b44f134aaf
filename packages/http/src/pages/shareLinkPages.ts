import { ServiceConfig, ShareLinks } from "@tapedeck/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestBody, signInLimit } from "../pipeline/requestBody.ts"
import { connectionOf, readCookie, withCookie } from "../pipeline/signInCookie.ts"
import type { Endpoint, EndpointRequest, PublicServices } from "../routes.ts"
import { formPolicyOf, htmlResponse } from "./html.ts"
import { missingPage, plainPage } from "./publicPage/page.ts"
import { styleHash } from "./publicPage/style.ts"

const policy = formPolicyOf(styleHash)

const page = (html: string, status: number) =>
  HttpServerResponse.setHeader(htmlResponse(html, status, policy), "cache-control", "no-store")

const form = (problem: string): string =>
  plainPage(
    "Password needed",
    `<p>This recording is shared with a password.</p>
${problem === "" ? "" : `<p role="alert">${problem}</p>`}
<form method="post"><p><label>Password <input name="password" type="password" autocomplete="off" maxlength="128" required></label>
<button type="submit">Open</button></p></form>`
  )

export const passwordPage = () => page(form(""), 200)

const connection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(ServiceConfig, (config) => connectionOf(request, config))

const cookieName = (linkId: string) => `share_${linkId}`

/** The link in the request's path. */
export const openedLink = Effect.fnUntraced(function* ({ params, request }: EndpointRequest) {
  const links = yield* ShareLinks
  const reached = yield* connection(request)
  return yield* links.open(params.token ?? "", (id) => readCookie(request, reached, cookieName(id)))
})

const passwordIn = (body: Uint8Array | null): string =>
  new URLSearchParams(Buffer.from(body ?? []).toString()).get("password") ?? ""

const maxPasswordLength = 1_000

/** POST /s/{token}: the password as a form. The right one gives the browser a cookie, and leads back to the page. */
export const unlockLink: Endpoint<PublicServices> = {
  methods: ["POST"],
  path: "/s/:token",
  operation: null,
  body: signInLimit,
  answer: Effect.fnUntraced(function* ({ params, request }) {
    const token = params.token ?? ""
    const { unlock } = yield* ShareLinks
    const password = passwordIn(yield* RequestBody).slice(0, maxPasswordLength)
    return yield* Effect.matchEffect(unlock(token, password), {
      onFailure: (refusal) => {
        if (refusal._tag === "NotFound") return Effect.succeed(page(missingPage, 404))
        const seconds = Math.ceil(refusal.retryAfterMs / 1_000)
        const response = page(form(`Too many tries. Try again in ${seconds} seconds.`), 429)
        return Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
      },
      onSuccess: (unlocked) => {
        if (unlocked === null) return Effect.succeed(page(form("This is not the password."), 403))
        const { linkId, maxAgeSeconds, pass } = unlocked
        // Relative, so that it works wherever the service is mounted.
        const back = HttpServerResponse.empty({
          status: 303,
          headers: { location: token, "cache-control": "no-store" }
        })
        return Effect.map(connection(request), (reached) =>
          withCookie(back, reached, { name: cookieName(linkId), value: pass, maxAgeSeconds })
        )
      }
    })
  })
}
