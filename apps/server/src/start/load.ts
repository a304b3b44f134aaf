import { Store, Vault } from "@tapedeck/core"
import type { User } from "@tapedeck/domain"
import { START_TOKEN } from "@tapedeck/fixtures"
import { Effect } from "effect"
import type { StartData } from "./fixtures.ts"

/** By e-mail address: the token to send. */
export type Tokens = Readonly<Record<string, string>>

/** As many users' tokens as a start tells; a document that is loaded by hand has fewer. */
const toldUsers = 10_000

/**
 * Loads the start data into a store that holds nothing yet; a store that does keeps what it has, so that a second start
 * finds what the first one, and everybody since, has left. Gives the tokens that the data came with and that still open it.
 */
export const loadOnce = Effect.fnUntraced(function* (data: StartData, vendor: string) {
  const store = yield* Store
  // In one transaction: of several nodes that start at the same moment one finds nothing there.
  const isNew = yield* store.transaction(
    Effect.gen(function* () {
      if ((yield* store.accounts.list).length > 0) return false
      yield* data.load(vendor)
      return true
    })
  )
  return { isNew, tokens: yield* startTokens }
})

const startTokens = Effect.gen(function* () {
  const store = yield* Store
  const told: Record<string, string> = {}
  for (const { id } of yield* store.accounts.list) {
    const { items } = yield* store.users.page({ accountId: id }, { offset: 0, limit: toldUsers })
    for (const user of items) {
      const token = yield* startTokenOf(user)
      if (token !== undefined) told[user.email] = token
    }
  }
  return told as Tokens
})

const startTokenOf = Effect.fnUntraced(function* (user: User) {
  const store = yield* Store
  const vault = yield* Vault
  const { items } = yield* store.tokens.page(user.id, { offset: 0, limit: 100 })
  const token = items.find(({ name }) => name === START_TOKEN)
  return token === undefined ? undefined : yield* vault.open(token.sealed)
})
