import type { Instant, SessionId, TokenId, UserId } from "@tapedeck/domain"
import type { Session, SignInLink, TryWindow } from "@tapedeck/domain/internal/people"
import type { RateWindow } from "../accounts.ts"
import type { Store } from "../Store.ts"
import { type SessionHolder, windowSkewMs } from "../signIn.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

const holderOf = (state: WorldState, hash: string): SessionHolder | undefined => {
  const id = state.sessionsByHash.get(hash)
  const session = id === undefined ? undefined : state.sessions.get(id)
  const user = session === undefined ? undefined : state.users.get(session.userId)
  const account = user === undefined ? undefined : state.accounts.get(user.accountId)
  return session === undefined || user === undefined || account === undefined ? undefined : { session, user, account }
}

/** Newest first. */
const sessionsOf = (state: WorldState, userId: UserId): ReadonlyArray<Session> =>
  state.sessions
    .valuesArray()
    .filter((session) => session.userId === userId)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))

export const saveSession = (draft: Draft, session: Session) => {
  draft.edit("sessions").set(session.id, session)
  draft.edit("sessionsByHash").set(session.hash, session.id)
}

const removeSession = (draft: Draft, id: SessionId) => {
  const session = draft.state.sessions.get(id)
  if (session === undefined) return
  draft.edit("sessions").delete(id)
  draft.edit("sessionsByHash").delete(session.hash)
}

const pruneSessions = (draft: Draft, now: Instant) => {
  for (const session of draft.state.sessions.valuesArray()) {
    if (session.expiresAt <= now) removeSession(draft, session.id)
  }
}

const removeLinks = (draft: Draft, isGone: (link: SignInLink) => boolean) => {
  for (const link of draft.state.signInLinks.valuesArray()) {
    if (isGone(link)) draft.edit("signInLinks").delete(link.hash)
  }
}

const removeLinksOf = (draft: Draft, userId: UserId | null) => removeLinks(draft, (link) => link.userId === userId)

const replaceLink = (draft: Draft, link: SignInLink) => {
  if (link.userId !== null) removeLinksOf(draft, link.userId)
  draft.edit("signInLinks").set(link.hash, link)
}

const pruneLinks = (draft: Draft, now: Instant) => removeLinks(draft, ({ expiresAt }) => expiresAt <= now)

const countTries = (draft: Draft, window: TryWindow, at: Instant): TryWindow => {
  const open = draft.state.tryWindows.get(window.key)
  const latestEnd = window.endsAt + windowSkewMs(window.endsAt - at)
  const isOpen = open !== undefined && at < open.endsAt && open.endsAt <= latestEnd
  const counted = isOpen ? { ...open, tries: open.tries + window.tries } : window
  draft.edit("tryWindows").set(window.key, counted)
  return counted
}

const uncountTries = (draft: Draft, key: string, tries: number) => {
  const open = draft.state.tryWindows.get(key)
  if (open !== undefined) draft.edit("tryWindows").set(key, { ...open, tries: Math.max(0, open.tries - tries) })
}

const extendWindow = (draft: Draft, before: TryWindow, endsAt: Instant, tries: number): boolean => {
  const open = draft.state.tryWindows.get(before.key)
  if (open === undefined || open.endsAt !== before.endsAt) return false
  draft.edit("tryWindows").set(before.key, { ...open, tries: open.tries - tries, endsAt })
  return true
}

const removeWindow = (draft: Draft, key: string) => {
  if (draft.state.tryWindows.has(key)) draft.edit("tryWindows").delete(key)
}

const pruneWindows = (draft: Draft, now: Instant) => {
  for (const { endsAt, key } of draft.state.tryWindows.valuesArray()) if (endsAt <= now) removeWindow(draft, key)
}

const countRequest = (
  draft: Draft,
  id: TokenId,
  { at, perMs }: { readonly at: Instant; readonly perMs: number }
): RateWindow => {
  const open = draft.state.rateWindows.get(id)
  const isOpen = open !== undefined && open.startedAt <= at + windowSkewMs(perMs) && at < open.startedAt + perMs
  const window = isOpen ? { ...open, requests: open.requests + 1 } : { startedAt: at, requests: 1 }
  draft.edit("rateWindows").set(id, window)
  return window
}

/** Sessions, passwords, sign-in links, and windows of rates and tries, in memory. */
export const signInRepositories = ({
  read,
  write
}: MemoryState): Pick<Store, "rateWindows" | "sessions" | "passwords" | "signInLinks" | "tryWindows"> => ({
  rateWindows: {
    byToken: (id) => read((state) => state.rateWindows.get(id)),
    count: (id, at, perMs) => write((draft) => countRequest(draft, id, { at, perMs }))
  },
  sessions: {
    holder: (hash) => read((state) => holderOf(state, hash)),
    ofUser: (userId) => read((state) => sessionsOf(state, userId)),
    save: (session) => write((draft) => saveSession(draft, session)),
    remove: (id) => write((draft) => removeSession(draft, id)),
    prune: (now) => write((draft) => pruneSessions(draft, now))
  },
  passwords: {
    ofUser: (userId) => read((state) => state.passwords.get(userId)),
    save: (password) => write((draft) => draft.edit("passwords").set(password.userId, password))
  },
  signInLinks: {
    byHash: (hash) => read((state) => state.signInLinks.get(hash)),
    replace: (link) => write((draft) => replaceLink(draft, link)),
    removeOf: (userId) => write((draft) => removeLinksOf(draft, userId)),
    prune: (now) => write((draft) => pruneLinks(draft, now))
  },
  tryWindows: {
    byKey: (key) => read((state) => state.tryWindows.get(key)),
    count: (window, at) => write((draft) => countTries(draft, window, at)),
    uncount: (key, tries) => write((draft) => uncountTries(draft, key, tries)),
    extend: (before, endsAt, tries) => write((draft) => extendWindow(draft, before, endsAt, tries)),
    remove: (key) => write((draft) => removeWindow(draft, key)),
    prune: (now) => write((draft) => pruneWindows(draft, now))
  }
})
