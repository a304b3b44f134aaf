import { type NotificationSettings, SessionId, type User, UserId } from "@tapedeck/domain"
import type { DecodedInput, ProfileChange, UserChange, UserInput } from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange } from "../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { valueOf } from "../input/decodeInput.ts"
import { numericIdIn } from "../input/numericId.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { accessChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { allEnabled, auditedUser } from "./auditedUser.ts"
import type { Caller } from "./Caller.ts"
import { writer } from "./signIn/requireCurrent.ts"
import { type ListedSession, Sessions } from "./signIn/Sessions.ts"
import { type IssuedLink, SignInLinks } from "./signIn/SignInLinks.ts"

/** A new user. */
export interface Invited {
  readonly user: User
  /** Link by which the user sets a password; null by an access token, and where there are no passwords or no pages for it. */
  readonly link: Omit<IssuedLink, "mailed"> | null
}

/** The users of the account. `authorize` decides which calls are permitted. An account always keeps an active admin. */
export class UserSettings extends Context.Service<
  UserSettings,
  {
    /** Oldest first (R7). */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<User>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<User, NotFound>
    /** Adds a user. E-mail addresses are unique beyond the account, without regard to case (R16). */
    readonly invite: (
      caller: Caller,
      input: DecodedInput<UserInput>
    ) => Effect.Effect<Invited, InputInvalid | Unauthenticated>
    /** Mails an invited user their link, if mail is set up. Not inside a transaction. A mail that fails is no failed invitation. */
    readonly mailInvitation: (invited: Invited) => Effect.Effect<IssuedLink | null>
    readonly update: (
      caller: Caller,
      id: string,
      input: DecodedInput<UserChange>
    ) => Effect.Effect<User, NotFound | StateConflict | InputInvalid | Unauthenticated>
    /** The caller's own name and mail. */
    readonly updateOwn: (
      caller: Caller,
      input: DecodedInput<ProfileChange>
    ) => Effect.Effect<User, InputInvalid | Unauthenticated>
    /** The user's sessions, newest first. */
    readonly sessions: (caller: Caller, id: string) => Effect.Effect<ReadonlyArray<ListedSession>, NotFound>
    /** Ends all sessions of the user but the caller's own one. */
    readonly endSessions: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
    /** Their tokens are 401 from then on (R19), their sessions and sign-in links end, and their capture and share
     * links open nothing until they are reactivated. A harmless repeat changes nothing. */
    readonly deactivate: (caller: Caller, id: string) => Effect.Effect<User, NotFound | StateConflict | Unauthenticated>
    readonly reactivate: (caller: Caller, id: string) => Effect.Effect<User, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/UserSettings") {
  static readonly layer = Layer.effect(
    UserSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "nextNumber", "signInLinks", "users")
      const audit = yield* auditor
      const page = yield* pager
      const write = yield* writer
      const sessions = yield* Sessions
      const links = yield* SignInLinks
      const { signIn: policy } = yield* ServiceConfig

      const get = Effect.fn("UserSettings.get")(function* (caller: Caller, id: string) {
        const number = numericIdIn(id)
        const user = number === undefined ? undefined : yield* store.users.byId(UserId.make(number))
        return user?.accountId === caller.account.id ? user : yield* new NotFound({ what: "User" })
      })

      const invite = Effect.fn("UserSettings.invite")(function* (caller: Caller, input: DecodedInput<UserInput>) {
        const given = yield* valueOf(
          input,
          Effect.fnUntraced(function* (rest, report) {
            if (rest.email !== undefined && (yield* store.users.byEmail(rest.email)) !== undefined) {
              report(["email"], "is the address of a user already")
            }
          })
        )
        const at = yield* now
        const user: User = {
          id: UserId.make(yield* store.nextNumber("user")),
          accountId: caller.account.id,
          email: given.email,
          name: given.name,
          role: given.role ?? "member",
          active: true,
          isInvited: true,
          hasProfilePicture: false,
          notifications: notificationsAfter(allEnabled, given.notifications),
          notifyFailedDeliveries: given.notify_failed_deliveries ?? "Enabled",
          createdAt: at,
          updatedAt: at
        }
        yield* store.users.save(user)
        yield* store.changes.publishOnCommit(accessChange)
        yield* audit(caller, "user.invited", target(user), changesBetween(null, auditedUser(user)))
        // No link is issued for a token: a leaked one could create its successors (S1). None either if only the provider signs users in.
        const link = caller.kind === "session" && policy.passwords ? yield* links.issue(user, "invitation") : null
        return { user, link }
      })

      /** Refuses to take from the account its last admin who can sign in. */
      const keepAnAdmin = Effect.fnUntraced(function* (before: User, after: Pick<User, "active" | "role">) {
        const isOne = (user: Pick<User, "active" | "role">) => user.active && user.role === "admin"
        if (!isOne(before) || isOne(after) || (yield* store.users.countActiveAdmins(before.accountId)) > 1) return
        return yield* new StateConflict({
          reason: "An account keeps at least one active admin: make another one first"
        })
      })

      const update = Effect.fn("UserSettings.update")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<UserChange>
      ) {
        const before = yield* get(caller, id)
        yield* keepAnAdmin(before, {
          active: before.active,
          role: input.json.role === "member" ? "member" : before.role
        })
        return yield* save(caller, before, yield* valueOf(input))
      })

      const updateOwn = Effect.fn("UserSettings.updateOwn")(function* (
        caller: Caller,
        input: DecodedInput<ProfileChange>
      ) {
        const before = (yield* store.users.byId(caller.user.id)) ?? caller.user
        return yield* save(caller, before, yield* valueOf(input))
      })

      const save = Effect.fnUntraced(function* (caller: Caller, before: User, change: UserChange) {
        const after = changed(before, change)
        const { role, ...rest } = changesBetween(auditedUser(before), auditedUser(after))
        if (role === undefined && !isChange(rest)) return before
        const saved = { ...after, updatedAt: yield* now }
        yield* store.users.save(saved)
        yield* store.changes.publishOnCommit(accessChange)
        if (isChange(rest)) yield* audit(caller, "user.updated", target(saved), rest)
        if (role !== undefined) yield* audit(caller, "user.role_changed", target(saved), { role })
        return saved
      })

      const endSessions = Effect.fn("UserSettings.endSessions")(function* (caller: Caller, id: string) {
        const user = yield* get(caller, id)
        const ended = yield* sessions.endAll(user, SessionId.make(caller.tokenId))
        if (ended > 0) yield* audit(caller, "user.session_ended", target(user), { sessions: { from: ended, to: 0 } })
      })

      const activate = Effect.fn("UserSettings.setActive")(function* (caller: Caller, id: string, active: boolean) {
        const before = yield* get(caller, id)
        if (before.active === active) return before
        yield* keepAnAdmin(before, { ...before, active })
        const after = { ...before, active, updatedAt: yield* now }
        yield* store.users.save(after)
        yield* store.changes.publishOnCommit(accessChange)
        if (!active) {
          yield* sessions.endAll(after)
          yield* store.signInLinks.removeOf(after.id)
        }
        yield* audit(caller, active ? "user.reactivated" : "user.deactivated", target(after), {
          active: { from: before.active, to: active }
        })
        return after
      })

      return UserSettings.of({
        list: (caller, number) => page(number, (slice) => store.users.page({ accountId: caller.account.id }, slice)),
        get,
        invite: (caller, input) => write(caller, invite(caller, input)),
        mailInvitation: ({ link, user }) =>
          link === null ? Effect.succeed(null) : links.mail(user, "invitation", link),
        update: (caller, id, input) => write(caller, update(caller, id, input)),
        updateOwn: (caller, input) => write(caller, updateOwn(caller, input)),
        sessions: (caller, id) => Effect.flatMap(get(caller, id), (user) => sessions.ofUser(caller, user)),
        endSessions: (caller, id) => write(caller, endSessions(caller, id)),
        deactivate: (caller, id) => write(caller, activate(caller, id, false)),
        // A reactivation never lowers the number of admins.
        reactivate: (caller, id) =>
          Effect.catchTag(write(caller, activate(caller, id, true)), "StateConflict", Effect.die)
      })
    })
  )
}

const notificationsAfter = (
  before: NotificationSettings,
  change: UserChange["notifications"]
): NotificationSettings => ({
  notifyFirstView: change?.notify_first_view ?? before.notifyFirstView,
  notifyAllRecordings: change?.notify_all_recordings ?? before.notifyAllRecordings,
  notifyOwnRecordings: change?.notify_own_recordings ?? before.notifyOwnRecordings
})

const changed = (before: User, change: UserChange): User => ({
  ...before,
  name: change.name ?? before.name,
  role: change.role ?? before.role,
  notifications: notificationsAfter(before.notifications, change.notifications),
  notifyFailedDeliveries: change.notify_failed_deliveries ?? before.notifyFailedDeliveries
})

const target = ({ id }: User) => ({ type: "user", id: String(id) })
