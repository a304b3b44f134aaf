import { type AccessToken, TokenId } from "@tapedeck/domain"
import type { AccessTokenChange, AccessTokenInput, DecodedInput } from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange, plainField } from "../audit/audited.ts"
import { type InputInvalid, NotFound, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import { accessChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { AccessTokens, type ReadableToken } from "./AccessTokens.ts"
import type { Caller } from "./Caller.ts"
import { writer } from "./signIn/requireCurrent.ts"

/** The caller's own personal access tokens (Authentication, 2; R19), in sessions (S1). Revoked ones are not listed. */
export class TokenSettings extends Context.Service<
  TokenSettings,
  {
    /** Newest first. The text is for its last characters. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<ReadableToken>>
    readonly create: (
      caller: Caller,
      input: DecodedInput<AccessTokenInput>
    ) => Effect.Effect<ReadableToken, InputInvalid | Unauthenticated>
    /** Shows the text again, with an audit entry. */
    readonly view: (caller: Caller, id: string) => Effect.Effect<ReadableToken, NotFound | Unauthenticated>
    readonly rename: (
      caller: Caller,
      id: string,
      input: DecodedInput<AccessTokenChange>
    ) => Effect.Effect<ReadableToken, NotFound | InputInvalid | Unauthenticated>
    /** Revokes the token: later requests with it get 401. */
    readonly revoke: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/TokenSettings") {
  static readonly layer = Layer.effect(
    TokenSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "tokens")
      const vault = yield* Vault
      const tokens = yield* AccessTokens
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager
      const write = yield* writer

      const readable = (token: AccessToken) =>
        Effect.map(vault.open(token.sealed), (text): ReadableToken => ({ token, text }))

      const find = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const token = yield* store.tokens.byId(TokenId.make(id))
        const isTheirs = token?.userId === caller.user.id && token.kind === "access" && token.revokedAt === null
        return token === undefined || !isTheirs ? yield* new NotFound({ what: "Access token" }) : token
      })

      const list = Effect.fn("TokenSettings.list")(function* (caller: Caller, number: number) {
        const found = yield* page(number, (slice) => store.tokens.page(caller.user.id, slice))
        return { ...found, items: yield* Effect.forEach(found.items, readable) }
      })

      const create = Effect.fn("TokenSettings.create")(
        function* (caller: Caller, input: DecodedInput<AccessTokenInput>) {
          const { name } = yield* valueOf(input)
          const { text, token } = yield* tokens.issue({ user: caller.user, name, kind: "access" })
          yield* audit(caller, "user.api_token_created", target(token), changesBetween(null, audited(token)))
          return { token, text }
        },
        Effect.provideService(Ids, ids)
      )

      const view = Effect.fn("TokenSettings.view")(function* (caller: Caller, id: string) {
        const token = yield* find(caller, id)
        yield* audit(caller, "user.api_token_viewed", target(token))
        return yield* readable(token)
      })

      const rename = Effect.fn("TokenSettings.rename")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<AccessTokenChange>
      ) {
        const before = yield* find(caller, id)
        const after = { ...before, ...(yield* valueOf(input)) }
        const changes = changesBetween(audited(before), audited(after))
        if (isChange(changes)) {
          yield* store.tokens.save(after)
          yield* audit(caller, "user.api_token_renamed", target(after), changes)
        }
        return yield* readable(after)
      })

      const revoke = Effect.fn("TokenSettings.revoke")(function* (caller: Caller, id: string) {
        const token = yield* find(caller, id)
        yield* store.tokens.save({ ...token, revokedAt: yield* now })
        yield* store.changes.publishOnCommit(accessChange)
        yield* audit(caller, "user.api_token_deleted", target(token), changesBetween(audited(token), null))
      })

      return TokenSettings.of({
        list,
        create: (caller, input) => write(caller, create(caller, input)),
        view: (caller, id) => write(caller, view(caller, id)),
        rename: (caller, id, input) => write(caller, rename(caller, id, input)),
        revoke: (caller, id) => write(caller, revoke(caller, id))
      })
    })
  )
}

const target = ({ id }: AccessToken) => ({ type: "api_token", id })

const audited = (token: AccessToken) => ({ name: plainField(token.name) })
