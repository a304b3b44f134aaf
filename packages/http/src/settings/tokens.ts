import { settings } from "@tapedeck/contract"
import { type ReadableToken, TokenSettings } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { secretJson } from "../responses.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { maskedSecret } from "./wire/mask.ts"

const wireToken = ({ text, token }: ReadableToken): settings.ReadableAccessToken => ({
  id: token.id,
  name: token.name,
  token: text,
  created_at: toIso(token.createdAt)
})

const wireMasked = (readable: ReadableToken): settings.AccessToken => ({
  ...wireToken(readable),
  token: maskedSecret(readable.text)
})

/** The caller's own access tokens (Authentication, 2; S1). */
export const tokens = HttpApiBuilder.group(settings.Api, "tokens", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* TokenSettings
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        return { pagination: wirePagination(page.pagination), tokens: page.items.map(wireMasked) }
      })
    )
    .handleRaw(
      "create",
      Effect.fnUntraced(function* ({ request }) {
        const { create } = yield* TokenSettings
        const input = yield* objectBody(request)
        return secretJson(wireToken(yield* Effect.mapError(create(yield* CurrentCaller, input), refused)), 201)
      })
    )
    .handle(
      "view",
      Effect.fnUntraced(function* ({ params }) {
        const { view } = yield* TokenSettings
        return secretJson(wireToken(yield* Effect.mapError(view(yield* CurrentCaller, params.id), refused)))
      })
    )
    .handleRaw(
      "rename",
      Effect.fnUntraced(function* ({ params, request }) {
        const { rename } = yield* TokenSettings
        const input = yield* objectBody(request)
        return wireMasked(yield* Effect.mapError(rename(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "revoke",
      Effect.fnUntraced(function* ({ params }) {
        const { revoke } = yield* TokenSettings
        return yield* Effect.mapError(revoke(yield* CurrentCaller, params.id), refused)
      })
    )
)
