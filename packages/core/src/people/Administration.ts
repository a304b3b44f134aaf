import { type Account, AccountId, type User, UserId } from "@tapedeck/domain"
import type { AuditEventType } from "@tapedeck/domain/audit"
import type { AccountChange, AccountInput, AdminInput, DecodedInput, UserAddress } from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { changesBetween, isChange, plainField, type Target } from "../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { now } from "../now.ts"
import { accessChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { auditedAccount, changedAccount } from "./accountFields.ts"
import { adminOf, auditedUser } from "./auditedUser.ts"
import { type IssuedLink, SignInLinks } from "./signIn/SignInLinks.ts"

/** A new admin with a token and a link, which are shown only once. */
export interface NewAdmin {
  readonly user: User
  readonly token: string
  /** Link by which the admin sets a password; null if there are no pages for it. */
  readonly link: Omit<IssuedLink, "mailed"> | null
}

/** A link that signs a user in without a password, which is shown only once. */
export interface NewLink {
  readonly user: User
  readonly link: Omit<IssuedLink, "mailed">
}

/**
 * The operations of the server's operator: creates accounts and their first admins. The audit log has these as done by the system
 * (A7).
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly accounts: Effect.Effect<ReadonlyArray<Account>>
    /** Takes `name` and `api_access`. */
    readonly createAccount: (input: DecodedInput<AccountInput>) => Effect.Effect<Account, InputInvalid>
    /**
     * Takes `name` and `api_access`; what is left out stays, and a repeat changes nothing. Without API access every request
     * of the account's tokens is 403, while sessions go on working (General rules, 1; S4).
     */
    readonly changeAccount: (
      id: number,
      input: DecodedInput<AccountChange>
    ) => Effect.Effect<Account, NotFound | InputInvalid>
    /** Takes `email` and `name`. */
    readonly createAdmin: (
      accountId: number,
      input: DecodedInput<AdminInput>
    ) => Effect.Effect<NewAdmin, NotFound | InputInvalid>
    /** Takes `email`, of an active user of any account. The link replaces earlier ones of the user. */
    readonly createLink: (
      input: DecodedInput<UserAddress>
    ) => Effect.Effect<NewLink, NotFound | StateConflict | InputInvalid>
  }
>()("@tapedeck/core/Administration") {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const store = yield* storeOf("accounts", "changes", "nextNumber", "transaction", "users")
      const tokens = yield* AccessTokens
      const log = yield* AuditLog
      const links = yield* SignInLinks
      const ids = yield* Ids

      const audit = (
        accountId: AccountId,
        eventType: AuditEventType,
        target: Target,
        changes?: ReturnType<typeof changesBetween>
      ) => log.record({ accountId, eventType, status: "success", user: null, target, ...(changes && { changes }) })

      const auditAccount = (before: Account | null, after: Account) => {
        const changes = changesBetween(before && auditedAccount(before), auditedAccount(after))
        return audit(after.id, "account.updated", { type: "account", id: String(after.id) }, changes)
      }

      const find = (id: number) =>
        Effect.flatMap(store.accounts.byId(AccountId.make(id)), (account) =>
          account === undefined ? Effect.fail(new NotFound({ what: "Account" })) : Effect.succeed(account)
        )

      const createAccount = Effect.fn("Administration.createAccount")(function* (input: DecodedInput<AccountInput>) {
        const { api_access: apiAccess, name } = yield* valueOf(input)
        const account: Account = { id: AccountId.make(yield* store.nextNumber("account")), name, apiAccess }
        yield* store.accounts.save(account)
        yield* store.changes.publishOnCommit(accessChange)
        yield* auditAccount(null, account)
        return account
      })

      const changeAccount = Effect.fn("Administration.changeAccount")(function* (
        id: number,
        input: DecodedInput<AccountChange>
      ) {
        const before = yield* find(id)
        const after = changedAccount(before, yield* valueOf(input))
        if (!isChange(changesBetween(auditedAccount(before), auditedAccount(after)))) return before
        yield* store.accounts.save(after)
        yield* store.changes.publishOnCommit(accessChange)
        yield* auditAccount(before, after)
        return after
      })

      const createAdmin = Effect.fn("Administration.createAdmin")(
        function* (id: number, input: DecodedInput<AdminInput>) {
          const account = yield* find(id)
          const { email, name } = yield* valueOf(
            input,
            Effect.fnUntraced(function* (rest, report) {
              if (rest.email !== undefined && (yield* store.users.byEmail(rest.email)) !== undefined) {
                report(["email"], "is the address of a user already")
              }
            })
          )
          const user = adminOf(account, {
            email,
            name,
            id: UserId.make(yield* store.nextNumber("user")),
            at: yield* now
          })
          yield* store.users.save(user)
          yield* store.changes.publishOnCommit(accessChange)
          const made = changesBetween(null, auditedUser(user))
          yield* audit(account.id, "user.invited", { type: "user", id: String(user.id) }, made)
          const { text, token } = yield* tokens.issue({ user, name: "First token", kind: "access" })
          const named = changesBetween(null, { name: plainField(token.name) })
          yield* audit(account.id, "user.api_token_created", { type: "api_token", id: token.id }, named)
          return { user, token: text, link: yield* links.issue(user, "invitation") }
        },
        Effect.provideService(Ids, ids)
      )

      const createLink = Effect.fn("Administration.createLink")(function* (input: DecodedInput<UserAddress>) {
        const user = yield* store.users.byEmail((yield* valueOf(input)).email)
        if (user === undefined) return yield* new NotFound({ what: "User" })
        if (!user.active) return yield* new StateConflict({ reason: "The user is deactivated: reactivate them first" })
        const link = yield* links.issue(user, "sign_in")
        if (link === null)
          return yield* new StateConflict({ reason: "There are no pages here that a link could lead to" })
        yield* audit(user.accountId, "user.password_link_created", { type: "user", id: String(user.id) })
        return { user, link }
      })

      return Administration.of({
        accounts: store.accounts.list,
        createAccount: (input) => store.transaction(createAccount(input)),
        changeAccount: (id, input) => store.transaction(changeAccount(id, input)),
        createAdmin: (accountId, input) => store.transaction(createAdmin(accountId, input)),
        createLink: (input) => store.transaction(createLink(input))
      })
    })
  )
}
