import { Ids, Store, Vault } from "@tapedeck/core"
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
  const store = yield* Store
  const isEmpty = Effect.map(store.accounts.list, ({ length }) => length === 0)
  if (!(yield* isEmpty)) return { isNew: false, tokens: yield* startTokens }
  // In one transaction: of several nodes that start at the same moment only one finds the store empty.
  const load = store.transaction(
    Effect.gen(function* () {
      if (!(yield* isEmpty)) return false
      yield* data.load(vendor)
      return true
    })
  )
  const isNew = yield* Effect.acquireUseRelease(
    writeContents(data.contents()),
    () => load,
    (ids) => Effect.forEach(ids, store.files.remove, { discard: true })
  )
  return { isNew, tokens: yield* startTokens }
})

/** Files with the contents that the document refers to, which are not written inside the transaction. */
const writeContents = Effect.fnUntraced(function* (contents: ReadonlyArray<Uint8Array>) {
  const store = yield* Store
  const ids = yield* Effect.forEach(contents, () => Ids.uuid("file"))
  yield* Effect.forEach(ids, (id, index) => store.files.write(id, Stream.succeed(contents[index]!)), { discard: true })
  return ids
})

const startTokens = Effect.gen(function* () {
  const store = yield* Store
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
  const store = yield* Store
  const vault = yield* Vault
  const { items } = yield* store.tokens.page(user.id, { offset: 0, limit: 100 })
  const token = items.find(({ name }) => name === START_TOKEN)
  return token === undefined ? undefined : yield* vault.open(token.sealed)
})
