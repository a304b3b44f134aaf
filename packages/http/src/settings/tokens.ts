import { settings } from "@tapedeck/contract"
import { type ReadableToken, TokenSettings } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { secretJson, wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { maskedSecret } from "./wire/mask.ts"

const wireToken = ({ text, token }: ReadableToken): settings.ReadableAccessToken => ({
  id: token.id,
  name: token.name,
  token: text,
  created_at: toIso(token.createdAt),
  last_used_at: token.lastUsedAt === null ? null : toIso(token.lastUsedAt)
})

const wireMasked = (readable: ReadableToken): settings.AccessToken => ({
  ...wireToken(readable),
  token: maskedSecret(readable.text)
})

/** The caller's own access tokens (Authentication, 2; S1). */
export const tokens = settingsEndpointsOf(settings.Api.groups.tokens, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* TokenSettings
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), tokens: page.items.map(wireMasked) }
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { create } = yield* TokenSettings
      return secretJson(wireToken(yield* create(caller, yield* input)), 201)
    })
  },
  view: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { view } = yield* TokenSettings
      return secretJson(wireToken(yield* view(caller, params.id)))
    })
  },
  rename: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { rename } = yield* TokenSettings
      return wireMasked(yield* rename(caller, params.id, yield* input))
    })
  },
  revoke: {
    answer: ({ caller, params }) => TokenSettings.use(({ revoke }) => revoke(caller, params.id))
  }
})
