import { type Account, type Instant, SessionId, TokenId, type User } from "@tapedeck/domain"
import type { Session, SignInMethod } from "@tapedeck/domain/internal/people"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { auditor } from "../../audit/audited.ts"
import { CrossSite, NotFound, Unauthenticated } from "../../errors.ts"
import { whenFull } from "../../files/space.ts"
import { Ids } from "../../Ids.ts"
import { now } from "../../now.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { accessChange } from "../../store/changes/changes.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"
import { type Caller, RequestOrigin } from "../Caller.ts"
import { writer } from "./requireCurrent.ts"

/** A new session, with the text that the browser sends with each request, which is not stored. */
export interface OpenedSession {
  readonly session: Session
  readonly text: string
  readonly user: User
  readonly account: Account
  /** Time for which the browser may keep the session; an unused session ends sooner. */
  readonly maxAgeSeconds: number
}

export interface ListedSession {
  readonly session: Session
  /** The session of the request. */
  readonly isCurrent: boolean
}

/** Maximum number of sessions of a user. One more ends the oldest. */
const maxSessions = 50

/** Cuts a text, because a browser's `User-Agent` may be as long as a header. */
const atMost = (text: string | null, length: number) => (text === null ? null : text.slice(0, length))

/** Maximum delay with which a session's last use is stored: a write for each request would be expensive. */
const seenEveryMs = 60_000

/** Returns a keyed hash that differs by kind: a session does not work as a token, nor a link as a session. */
export const hashOf = (
  vault: Vault["Service"],
  kind: "session" | "link" | "try" | "browser" | "share",
  text: string
): string => vault.hash(`${kind}:${text}`)

/** Sessions of signed-in users (S1). */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Returns the caller of a session. Unknown, ended and expired sessions get the same refusal. */
    readonly authenticate: (text: string) => Effect.Effect<Caller, Unauthenticated>
    /** Opens a session of the user, and ends the previous one of the browser. Belongs inside the transaction of its audit entry. */
    readonly open: (user: User, method: SignInMethod, previous: string | undefined) => Effect.Effect<OpenedSession>
    /** Ends all sessions of a user except `but`; returns their number. Belongs inside a transaction. */
    readonly endAll: (user: User, but?: SessionId) => Effect.Effect<number>
    /** Lists the caller's sessions, newest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<ListedSession>>
    /** Lists a user's sessions, newest first. */
    readonly ofUser: (caller: Caller, user: User) => Effect.Effect<ReadonlyArray<ListedSession>>
    /** Ends one of the caller's sessions. */
    readonly end: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
    /** Ends all of the caller's sessions except that of the request; returns their number. */
    readonly endOthers: (caller: Caller) => Effect.Effect<number, Unauthenticated>
    /** Refuses a request that a page of another site sent with the caller's cookie, and logs it once an hour. */
    readonly refuseCrossSite: (caller: Caller) => Effect.Effect<never, CrossSite>
    /** Ends the caller's session. */
    readonly signOut: (caller: Caller) => Effect.Effect<void>
  }
>()("@tapedeck/core/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* storeOf("accounts", "changes", "sessions", "tokens", "transaction", "users")
      const write = yield* writer
      const vault = yield* Vault
      const ids = yield* Ids
      const audit = yield* auditor
      const log = yield* AuditLog
      const { idleMs, lifetimeMs } = (yield* ServiceConfig).signIn

      const expiryOf = ({ createdAt, seenAt }: Pick<Session, "createdAt" | "seenAt">) =>
        Math.min(seenAt + idleMs, createdAt + lifetimeMs) as Instant

      /** Returns whether the session has expired; a limit that was lowered since counts too. */
      const isOver = (session: Session, at: Instant) => at >= session.expiresAt || at >= expiryOf(session)

      const see = Effect.fnUntraced(function* (session: Session, at: Instant) {
        if (at < session.seenAt + Math.min(seenEveryMs, idleMs / 10)) return
        // A session that was ended meanwhile stays ended.
        const current = yield* store.sessions.holder(session.hash)
        if (current === undefined) return
        const seen = { ...session, seenAt: at }
        yield* store.sessions.save({ ...seen, expiresAt: expiryOf(seen) })
      })

      const authenticate = Effect.fn("Sessions.authenticate")(function* (text: string) {
        const holder = yield* store.sessions.holder(hashOf(vault, "session", text))
        const at = yield* now
        if (holder === undefined || !holder.user.active || isOver(holder.session, at)) {
          return yield* new Unauthenticated()
        }
        const { account, session, user } = holder
        if (at >= session.seenAt + Math.min(seenEveryMs, idleMs / 10)) {
          yield* whenFull(store.transaction(see(session, at)), Effect.void)
        }
        return callerIn(session, user, account)
      })

      const remove = (id: SessionId) =>
        Effect.andThen(store.sessions.remove(id), store.changes.publishOnCommit(accessChange))

      /** Accepts the user's invitation, with the first session. */
      const acceptInvitation = Effect.fnUntraced(function* ({ id }: User) {
        const user = yield* store.users.byId(id)
        if (user?.isInvited !== true) return
        const { isInvited: _, ...accepted } = user
        yield* store.users.save(accepted)
        yield* store.changes.publishOnCommit(accessChange)
      })

      const open = Effect.fn("Sessions.open")(function* (
        user: User,
        method: SignInMethod,
        previous: string | undefined
      ) {
        const at = yield* now
        const origin = yield* RequestOrigin
        yield* store.sessions.prune(at)
        if (previous !== undefined) {
          const before = yield* store.sessions.holder(hashOf(vault, "session", previous))
          if (before !== undefined) yield* remove(before.session.id)
        }
        const others = yield* store.sessions.ofUser(user.id)
        for (const { id } of others.slice(maxSessions - 1)) yield* remove(id)
        const text = Buffer.from(yield* ids.bytes("session_secret", 32)).toString("base64url")
        const times = { createdAt: at, seenAt: at }
        const session: Session = {
          id: SessionId.make(yield* Effect.provideService(Ids.uuid("session"), Ids, ids)),
          userId: user.id,
          hash: hashOf(vault, "session", text),
          method,
          ...times,
          expiresAt: expiryOf(times),
          ipAddress: origin.ipAddress,
          userAgent: atMost(origin.userAgent, 500)
        }
        yield* store.sessions.save(session)
        yield* acceptInvitation(user)
        const account = yield* store.accounts.byId(user.accountId)
        if (account === undefined) return yield* Effect.die(new Error(`user ${user.id} has no account`))
        return { session, text, user, account, maxAgeSeconds: Math.floor(lifetimeMs / 1000) }
      })

      const endAll = Effect.fn("Sessions.endAll")(function* (user: User, but?: SessionId) {
        const all = (yield* store.sessions.ofUser(user.id)).filter(({ id }) => id !== but)
        for (const { id } of all) yield* remove(id)
        return all.length
      })

      const ofUser = Effect.fn("Sessions.ofUser")(function* (caller: Caller, user: User) {
        const at = yield* now
        const all = yield* store.sessions.ofUser(user.id)
        return all
          .filter((session) => !isOver(session, at))
          .map((session): ListedSession => ({ session, isCurrent: isOf(caller, session) }))
      })

      const endOne = Effect.fn("Sessions.end")(function* (caller: Caller, id: string) {
        const session = (yield* store.sessions.ofUser(caller.user.id)).find((one) => one.id === id)
        if (session === undefined) return yield* new NotFound({ what: "Session" })
        yield* remove(session.id)
        yield* audit(caller, "user.session_ended", { type: "session", id: session.id })
      })

      const endOthers = Effect.fn("Sessions.endOthers")(function* (caller: Caller) {
        const all = yield* store.sessions.ofUser(caller.user.id)
        const others = all.filter((session) => !isOf(caller, session))
        for (const { id } of others) yield* endOne(caller, id).pipe(Effect.orDie)
        return others.length
      })

      const refuseCrossSite = Effect.fn("Sessions.refuseCrossSite")(function* (caller: Caller) {
        yield* log.recordDenial({
          accountId: caller.account.id,
          user: caller.user,
          operation: "cross-site",
          target: { type: "session", id: String(caller.tokenId) }
        })
        return yield* new CrossSite()
      })

      const signOut = Effect.fn("Sessions.signOut")(function* (caller: Caller) {
        const session = (yield* store.sessions.ofUser(caller.user.id)).find((one) => isOf(caller, one))
        if (session !== undefined) yield* remove(session.id)
        // A session that is sent as a token, as the emulator's control plane makes them.
        const token = session === undefined ? yield* store.tokens.byId(caller.tokenId) : undefined
        if (token !== undefined) {
          yield* store.tokens.save({ ...token, revokedAt: yield* now })
          yield* store.changes.publishOnCommit(accessChange)
        }
        yield* audit(caller, "user.logout", { type: "user", id: String(caller.user.id) })
      })

      return Sessions.of({
        authenticate,
        open,
        endAll,
        list: (caller) => ofUser(caller, caller.user),
        ofUser,
        end: (caller, id) => write(caller, endOne(caller, id)),
        refuseCrossSite,
        endOthers: (caller) => write(caller, endOthers(caller)),
        signOut: (caller) => store.transaction(signOut(caller))
      })
    })
  )
}

/** The user of a session as a caller of the use cases. */
const callerIn = (session: Session, user: User, account: Account): Caller => ({
  user,
  account,
  tokenId: TokenId.make(session.id),
  kind: "session"
})

const isOf = (caller: Caller, { id }: Session): boolean => String(caller.tokenId) === String(id)
