import type { Instant, Session, SessionId, SignInLink, TryWindow, UserId } from "@tapedeck/domain"
import type { SessionHolder } from "../store/signIn.ts"
import type { Draft, WorldState } from "./WorldState.ts"

export const holderOf = (state: WorldState, hash: string): SessionHolder | undefined => {
  const id = state.sessionsByHash.get(hash)
  const session = id === undefined ? undefined : state.sessions.get(id)
  const user = session === undefined ? undefined : state.users.get(session.userId)
  const account = user === undefined ? undefined : state.accounts.get(user.accountId)
  return session === undefined || user === undefined || account === undefined ? undefined : { session, user, account }
}

/** Newest first. */
export const sessionsOf = (state: WorldState, userId: UserId): ReadonlyArray<Session> =>
  state.sessions
    .valuesArray()
    .filter((session) => session.userId === userId)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))

export const saveSession = (draft: Draft, session: Session) => {
  draft.edit("sessions").set(session.id, session)
  draft.edit("sessionsByHash").set(session.hash, session.id)
}

export const removeSession = (draft: Draft, id: SessionId) => {
  const session = draft.state.sessions.get(id)
  if (session === undefined) return
  draft.edit("sessions").delete(id)
  draft.edit("sessionsByHash").delete(session.hash)
}

export const pruneSessions = (draft: Draft, now: Instant) => {
  for (const session of draft.state.sessions.valuesArray()) {
    if (session.expiresAt <= now) removeSession(draft, session.id)
  }
}

const removeLinks = (draft: Draft, isGone: (link: SignInLink) => boolean) => {
  for (const link of draft.state.signInLinks.valuesArray()) {
    if (isGone(link)) draft.edit("signInLinks").delete(link.hash)
  }
}

export const removeLinksOf = (draft: Draft, userId: UserId | null) =>
  removeLinks(draft, (link) => link.userId === userId)

export const replaceLink = (draft: Draft, link: SignInLink) => {
  removeLinksOf(draft, link.userId)
  draft.edit("signInLinks").set(link.hash, link)
}

export const pruneLinks = (draft: Draft, now: Instant) => removeLinks(draft, ({ expiresAt }) => expiresAt <= now)

export const saveWindow = (draft: Draft, window: TryWindow) => void draft.edit("tryWindows").set(window.key, window)

export const removeWindow = (draft: Draft, key: string) => {
  if (draft.state.tryWindows.has(key)) draft.edit("tryWindows").delete(key)
}

export const pruneWindows = (draft: Draft, now: Instant) => {
  for (const { endsAt, key } of draft.state.tryWindows.valuesArray()) if (endsAt <= now) removeWindow(draft, key)
}
