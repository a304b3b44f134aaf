import { Ids, storeOf, Vault } from "@tapedeck/core"
import type { User } from "@tapedeck/domain"
import { START_TOKEN } from "@tapedeck/fixtures"
import { Effect, Stream } from "effect"
import type { StartData } from "./fixtures.ts"

/** Tokens by e-mail address. */
export type Tokens = Readonly<Record<string, string>>

/** Maximum number of users whose tokens a start prints. */
const maxUsers = 10_000

/**
 * Loads the start data into an empty store; a store with data stays as it is. Returns the tokens of the start data that are
 * still valid.
 */
export const loadOnce = Effect.fnUntraced(function* (data: StartData, vendor: string) {
  const store = yield* storeOf("accounts", "transaction")
  const isEmpty = Effect.map(store.accounts.list, ({ length }) => length === 0)
  if (!(yield* isEmpty)) return { isNew: false, tokens: yield* startTokens }
  // One transaction, so that of several nodes that start at the same moment only one finds the store empty.
  const load = store.transaction(
    Effect.gen(function* () {
      if (!(yield* isEmpty)) return false
      yield* data.load(vendor)
      return true
    })
  )
  const isNew = yield* withContents(data.contents(), load)
  return { isNew, tokens: yield* startTokens }
})

/** Writes contents to files for as long as the effect runs: in its transaction it refers to them, and writes none. */
const withContents = Effect.fnUntraced(function* <A, E, R>(
  contents: ReadonlyArray<Uint8Array>,
  effect: Effect.Effect<A, E, R>
) {
  const { files } = yield* storeOf("files")
  const ids = yield* Effect.forEach(contents, () => Ids.uuid("file"))
  const write = Effect.forEach(ids, (id, index) => files.write(id, Stream.succeed(contents[index]!)), { discard: true })
  return yield* Effect.ensuring(Effect.andThen(write, effect), Effect.forEach(ids, files.discard, { discard: true }))
})

const startTokens = Effect.gen(function* () {
  const store = yield* storeOf("accounts", "users")
  const tokens: Record<string, string> = {}
  for (const { id } of yield* store.accounts.list) {
    const { items } = yield* store.users.page({ accountId: id }, { offset: 0, limit: maxUsers })
    for (const user of items) {
      const token = yield* startTokenOf(user)
      if (token !== undefined) tokens[user.email] = token
    }
  }
  return tokens as Tokens
})

const startTokenOf = Effect.fnUntraced(function* (user: User) {
  const store = yield* storeOf("tokens")
  const vault = yield* Vault
  const { items } = yield* store.tokens.page(user.id, { offset: 0, limit: 100 })
  const token = items.find(({ name }) => name === START_TOKEN)
  return token === undefined ? undefined : yield* vault.open(token.sealed)
})
