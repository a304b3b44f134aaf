import type { AccessToken, User, UserId } from "@tapedeck/domain"
import { emailKey } from "@tapedeck/domain/internal/people"
import { partOf, type Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { WorldState } from "./WorldState.ts"

/** Newest first. */
const accessTokensOf = (state: WorldState, userId: UserId): ReadonlyArray<AccessToken> =>
  state.tokens
    .valuesArray()
    .filter((token) => token.userId === userId && token.kind === "access" && token.revokedAt === null)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))

/** Accounts, users and access tokens in memory. */
export const peopleRepositories = ({ read, write }: MemoryState): Pick<Store, "accounts" | "users" | "tokens"> => ({
  accounts: {
    byId: (id) => read((state) => state.accounts.get(id)),
    list: read((state) => state.accounts.valuesArray()),
    save: (account) =>
      write((draft) => {
        draft.edit("accounts").set(account.id, account)
        draft.countFrom("account", account.id)
      })
  },
  users: {
    byId: (id) => read((state) => state.users.get(id)),
    byIds: (ids) => read((state) => ids.flatMap((id) => state.users.get(id) ?? [])),
    byEmail: (email) =>
      read((state) => {
        const id = state.usersByEmail.get(emailKey(email))
        return id === undefined ? undefined : state.users.get(id)
      }),
    page: ({ accountId, activeOnly = false }, slice) =>
      read((state) => {
        const users = state.users
          .valuesArray()
          .filter((user) => user.accountId === accountId && (user.active || !activeOnly))
        return partOf(
          users.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id),
          slice
        )
      }),
    countActiveAdmins: (accountId) =>
      read((state) => {
        const isActiveAdmin = (user: User) => user.accountId === accountId && user.active && user.role === "admin"
        return state.users.valuesArray().filter(isActiveAdmin).length
      }),
    activeAdmins: (accountId, limit) =>
      read((state) =>
        state.users
          .valuesArray()
          .filter((user) => user.accountId === accountId && user.active && user.role === "admin")
          .slice(0, limit)
      ),
    save: (user) =>
      write((draft) => {
        const before = draft.state.users.get(user.id)
        if (before !== undefined) draft.edit("usersByEmail").delete(emailKey(before.email))
        draft.edit("users").set(user.id, user)
        draft.edit("usersByEmail").set(emailKey(user.email), user.id)
        draft.countFrom("user", user.id)
      })
  },
  tokens: {
    holder: (hash) =>
      read((state) => {
        const id = state.tokensByHash.get(hash)
        const token = id === undefined ? undefined : state.tokens.get(id)
        const user = token === undefined ? undefined : state.users.get(token.userId)
        const account = user === undefined ? undefined : state.accounts.get(user.accountId)
        return token === undefined || user === undefined || account === undefined ? undefined : { token, user, account }
      }),
    byId: (id) => read((state) => state.tokens.get(id)),
    page: (userId, slice) => read((state) => partOf(accessTokensOf(state, userId), slice)),
    save: (token) =>
      write((draft) => {
        draft.edit("tokens").set(token.id, token)
        draft.edit("tokensByHash").set(token.hash, token.id)
      }),
    use: (id, at) =>
      write((draft) => {
        const token = draft.state.tokens.get(id)
        if (token !== undefined) draft.edit("tokens").set(id, { ...token, lastUsedAt: at })
      })
  }
})
