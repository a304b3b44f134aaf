import { type OffLink, Outbox } from "@tapedeck/core"
import type { MailSwitch } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { signInLimit } from "../pipeline/requestBody.ts"
import type { Endpoint, PublicServices } from "../routes.ts"
import { formPolicyOf, htmlResponse, isolated } from "./html.ts"
import { plainPage } from "./publicPage/page.ts"
import { styleHash } from "./publicPage/style.ts"

const policy = formPolicyOf(styleHash)

const about: Readonly<Record<MailSwitch, string>> = {
  first_view: "the first view of a recording of yours",
  all_recordings: "every recording that you may see",
  own_recordings: "every recording of yours",
  failed_deliveries: "failed deliveries of webhooks"
}

const askPage = ({ switch: one, user }: OffLink): string =>
  plainPage(
    "Turn off mail",
    `<p>Tapedeck sends mail about ${about[one]} to ${isolated(user.email)}.</p>
<form method="post"><button type="submit">Turn it off</button></form>`
  )

const donePage = ({ switch: one, user }: OffLink): string =>
  plainPage(
    "Mail is off",
    `<p>Tapedeck sends no more mail about ${about[one]} to ${isolated(user.email)}. The profile in the console turns it on again.</p>`
  )

const missing = plainPage(
  "Link not found",
  "<p>This link turns nothing off. The profile in the console has all switches.</p>"
)

const page = (html: string, status = 200) =>
  HttpServerResponse.setHeader(htmlResponse(html, status, policy), "cache-control", "no-store")

const endpoint = (method: "GET" | "POST", html: (found: OffLink) => string): Endpoint<PublicServices> => ({
  methods: [method],
  path: "/mail/off/:token",
  operation: null,
  body: signInLimit,
  answer: ({ params }) =>
    Effect.flatMap(Outbox, ({ look, turnOff }) =>
      Effect.match((method === "POST" ? turnOff : look)(params.token ?? ""), {
        onFailure: () => page(missing, 404),
        onSuccess: (found) => page(html(found))
      })
    )
})

/**
 * The link in each mail that turns such mail off. Only a POST does: mail programs send it with one click (RFC 8058), and a GET, which
 * scanners of mail send too, shows a page with a button.
 */
export const mailPages = [endpoint("GET", askPage), endpoint("POST", donePage)]
