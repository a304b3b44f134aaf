import type { User } from "@tapedeck/domain"
import type { AuditChanges } from "@tapedeck/domain/audit"
import type { Credentials, DecodedInput, PasswordChange } from "@tapedeck/domain/input"
import { emailKey, type Password, type SignInMethod } from "@tapedeck/domain/internal/people"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { InputInvalid, type InputMalformed, type Unauthenticated } from "../../errors.ts"
import { Ids } from "../../Ids.ts"
import { requireStorable, valueOf } from "../../input/decodeInput.ts"
import { now } from "../../now.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"
import { addressKey } from "../addressKey.ts"
import { type Caller, RequestOrigin } from "../Caller.ts"
import { SignInRefused, SignInThrottled } from "./errors.ts"
import { isKnown, makeKnown } from "./knownBrowser.ts"
import { hashPassword, verifyPassword } from "./passwordHash.ts"
import { passwordProblem } from "./passwordRules.ts"
import { writer } from "./requireCurrent.ts"
import { hashOf, type OpenedSession, Sessions } from "./Sessions.ts"
import { countTries, countTry, sharedTries, type TryCount, uncountTries } from "./tries.ts"

/** Reason why a known user's sign-in was refused: for the audit log only, not for the response. */
type Reason = "wrong_password" | "no_password" | "deactivated" | "throttled" | "passwords_off" | "address_not_verified"

/** A new session, and the value by which the browser is known at its next sign-in. */
export interface Admitted extends OpenedSession {
  /** Value that shows that the user has signed in with this browser (`knownBrowser.ts`). */
  readonly known: string
}

/** Signing in, and the password that it takes. Each way in commits with its audit entry (A4, A5). */
export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * `previous`: the browser's session before, which ends, against session fixation. `known`: the browser's cookie of an earlier
     * sign-in.
     */
    readonly withPassword: (
      input: DecodedInput<Credentials>,
      previous: string | undefined,
      known?: string
    ) => Effect.Effect<Admitted, InputMalformed | InputInvalid | SignInRefused | SignInThrottled>
    /** Signs in a provider's user by e-mail address; `isVerified`: the provider has verified the address. */
    readonly withIdentity: (
      identity: { readonly email: string; readonly isVerified: boolean },
      previous: string | undefined
    ) => Effect.Effect<Admitted, SignInRefused>
    /** Changes the caller's own password. Their other sessions end. */
    readonly changePassword: (
      caller: Caller,
      input: DecodedInput<PasswordChange>
    ) => Effect.Effect<void, InputInvalid | SignInThrottled | Unauthenticated>
    /** Keeps a password that was hashed. All sessions of the user end but this one. Belongs inside a transaction. */
    readonly keepPassword: (user: User, hash: string, but?: Caller) => Effect.Effect<void>
    /** The hash to keep. It takes long: not inside a transaction. */
    readonly hash: (password: string) => Effect.Effect<string, SignInThrottled>
    /** Records the sign-in of a user and opens a session. Belongs inside a transaction. */
    readonly admit: (user: User, method: SignInMethod, previous: string | undefined) => Effect.Effect<Admitted>
  }
>()("@tapedeck/core/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const store = yield* storeOf("passwords", "signInLinks", "transaction", "tryWindows", "users")
      const vault = yield* Vault
      const ids = yield* Ids
      const sessions = yield* Sessions
      const log = yield* AuditLog
      const { signIn: policy } = yield* ServiceConfig
      const write = yield* writer

      const keyOf = (text: string) => hashOf(vault, "try", text)

      const audit = (user: User, eventType: "user.login" | "user.password_changed", changes: AuditChanges = {}) =>
        log.record({
          accountId: user.accountId,
          eventType,
          status: "success",
          user,
          target: { type: "user", id: String(user.id) },
          changes
        })

      const failed = (user: User, reason: Reason) =>
        log.record({
          accountId: user.accountId,
          eventType: "user.login_failed",
          status: "failure",
          user,
          target: { type: "user", id: String(user.id) },
          changes: { reason: { from: null, to: reason } }
        })

      /** The counters of a try. `ofUser`: the user's own counters, which a successful sign-in removes. */
      const countsOf = Effect.fnUntraced(function* (email: string, browser?: string) {
        const { ipAddress } = yield* RequestOrigin
        // Tries by the user's own browser have a limit of their own.
        if (browser !== undefined) return { ofUser: [ownCount(keyOf(`browser ${browser}`))], fromThere: [] }
        const fromThere: ReadonlyArray<TryCount> =
          ipAddress === null ? [] : [[keyOf(`address ${addressKey(ipAddress)}`), policy.perAddress]]
        return { ofUser: sharedTries(keyOf, `name ${emailKey(email)}`, ipAddress, policy.perName), fromThere }
      })

      const ownCount = (key: string): TryCount => [key, policy.perName]

      /**
       * Before the lookup, so that it costs the same for known and unknown users. The first refused try of a known user is in the audit
       * log.
       */
      const refuseTooMany = Effect.fnUntraced(function* (
        email: string,
        {
          fromThere = [],
          ofUser
        }: { readonly ofUser: ReadonlyArray<TryCount>; readonly fromThere?: ReadonlyArray<TryCount> }
      ) {
        const refuse = ({ retryAfterMs }: { readonly retryAfterMs: number }) => new SignInThrottled({ retryAfterMs })
        const there = yield* countTries(store, fromThere)
        if (!there.isLetThrough) return yield* refuse(there)
        const counted = yield* countTries(store, ofUser)
        if (counted.isLetThrough) return
        yield* uncountTries(store, fromThere)
        if (counted.first) {
          const user = yield* store.users.byEmail(email)
          if (user !== undefined) yield* failed(user, "throttled")
        }
        return yield* refuse(counted)
      })

      const admit = Effect.fn("SignIn.admit")(function* (
        user: User,
        method: SignInMethod,
        previous: string | undefined
      ) {
        const opened = yield* sessions.open(user, method, previous)
        yield* audit(user, "user.login", { method: { from: null, to: method } })
        const known = yield* makeKnown(user.email).pipe(
          Effect.provideService(Ids, ids),
          Effect.provideService(Vault, vault)
        )
        return { ...opened, known } as Admitted
      })

      const keep = Effect.fnUntraced(function* (user: User, hash: string) {
        const sealed = yield* Effect.provideService(vault.seal(hash), Ids, ids)
        yield* store.passwords.save({ userId: user.id, sealed, changedAt: yield* now })
      })

      const keptOf = (password: Password | undefined) =>
        password === undefined ? Effect.undefined : vault.open(password.sealed)

      const hash = (password: string) =>
        Effect.flatMap(ids.bytes("password_salt", 16), (salt) => hashPassword(password, salt, policy.passwordCost))

      const withPassword = Effect.fn("SignIn.withPassword")(function* (
        input: DecodedInput<Credentials>,
        previous: string | undefined,
        known?: string
      ) {
        yield* requireStorable(input)
        const { email, password } = yield* valueOf(input)
        if (email.length > 254 || password.length > 1_000) return yield* new SignInRefused()
        const counts = yield* countsOf(email, isKnown(vault, email, known) ? known : undefined)
        yield* refuseTooMany(email, counts)
        const user = yield* store.users.byEmail(email)
        const kept = user === undefined ? undefined : yield* store.passwords.ofUser(user.id)
        const verified = verifyPassword(password, yield* keptOf(kept), policy.passwordCost)
        const { isOutdated, isRight } = yield* Effect.tapError(verified, () =>
          uncountTries(store, [...counts.fromThere, ...counts.ofUser])
        )
        const rehashed = isRight && isOutdated ? yield* hash(password) : undefined

        const decide = Effect.gen(function* () {
          // The user and the password may have changed since they were looked up, before the hash.
          const current = user === undefined ? undefined : yield* store.users.byId(user.id)
          const still = current === undefined ? undefined : yield* store.passwords.ofUser(current.id)
          if (current === undefined) {
            // An unknown address has no audit entry (A7). The commit is made all the same: its time would show which addresses are known.
            const at = yield* now
            yield* store.tryWindows.count({ key: keyOf(`unknown ${email}`), tries: 0, endsAt: at }, at)
            return undefined
          }
          const isSame = still?.sealed === kept?.sealed
          if (!isRight || !isSame || !current.active || !policy.passwords) {
            yield* failed(current, reasonOf({ current, isRight: isRight && isSame, hasOne: kept !== undefined }))
            return undefined
          }
          if (rehashed !== undefined) yield* keep(current, rehashed)
          return yield* admit(current, "password", previous)
        })
        const admitted = yield* store.transaction(decide)
        if (admitted === undefined) return yield* new SignInRefused()
        // A successful sign-in does not count as a try. Concurrent tries stay counted.
        yield* uncountTries(store, counts.fromThere)
        yield* Effect.forEach(counts.ofUser, ([key]) => store.tryWindows.remove(key), { discard: true })
        return admitted
      })

      const reasonOf = (found: {
        readonly current: User
        readonly isRight: boolean
        readonly hasOne: boolean
      }): Reason => {
        if (!found.current.active) return "deactivated"
        if (!found.hasOne) return "no_password"
        return found.isRight ? "passwords_off" : "wrong_password"
      }

      const withIdentity = Effect.fn("SignIn.withIdentity")(function* (
        { email, isVerified }: { readonly email: string; readonly isVerified: boolean },
        previous: string | undefined
      ) {
        const decide = Effect.gen(function* () {
          const user = yield* store.users.byEmail(email)
          const admitted = isVerified && user?.active === true ? yield* admit(user, "oidc", previous) : undefined
          return { admitted, user }
        })
        const { admitted, user } = yield* store.transaction(decide)
        if (admitted !== undefined) return admitted
        if (user !== undefined) {
          // A user with an account at the provider can repeat this without limit.
          const counted = yield* countTry(store, keyOf(`identity ${user.id}`), policy.perName)
          if (counted.isLetThrough) yield* failed(user, user.active ? "address_not_verified" : "deactivated")
        }
        return yield* new SignInRefused()
      })

      const keepPassword = Effect.fn("SignIn.keepPassword")(function* (user: User, hashed: string, but?: Caller) {
        yield* keep(user, hashed)
        yield* store.signInLinks.removeOf(user.id)
        const listed = but === undefined ? [] : yield* sessions.list(but)
        yield* sessions.endAll(user, listed.find(({ isCurrent }) => isCurrent)?.session.id)
        yield* audit(user, "user.password_changed")
      })

      const changePassword = Effect.fn("SignIn.changePassword")(function* (
        caller: Caller,
        input: DecodedInput<PasswordChange>
      ) {
        const given = yield* valueOf(input, (rest, report) =>
          Effect.sync(() => {
            const problem = rest.password === undefined ? undefined : passwordProblem(rest.password, caller.user)
            if (problem !== undefined) report(["password"], problem)
          })
        )
        // An open browser allows no more tries than the sign-in page, and tries on that page do not lock this form.
        const key = keyOf(`change ${caller.user.id}`)
        yield* refuseTooMany(caller.user.email, { ofUser: [ownCount(key)] })
        const kept = yield* store.passwords.ofUser(caller.user.id)
        const { isRight } = yield* verifyPassword(given.current_password, yield* keptOf(kept), policy.passwordCost)
        const hashed = isRight ? yield* hash(given.password) : null
        const change = Effect.gen(function* () {
          // While it was verified and the new one hashed, a link may have replaced it.
          const isSame = (yield* store.passwords.ofUser(caller.user.id))?.sealed === kept?.sealed
          if (hashed === null || !isSame) return false
          yield* keepPassword(caller.user, hashed, caller)
          return true
        })
        if (yield* write(caller, change)) return yield* store.tryWindows.remove(key)
        yield* failed(caller.user, kept === undefined ? "no_password" : "wrong_password")
        return yield* new InputInvalid({
          problems: [{ path: "current_password", message: "is not your password" }]
        })
      })

      return SignIn.of({ withPassword, withIdentity, changePassword, keepPassword, hash, admit })
    })
  )
}
