import { type Account, AccountId, type Instant, type User, UserId } from "@tapedeck/domain"
import type { AuditEventType } from "@tapedeck/domain/audit"
import {
  type DecodedInput,
  type ForgottenPassword,
  type Lenient,
  type LinkInput,
  type Report,
  setupFields
} from "@tapedeck/domain/input"
import { afterFailedTry, jobIds, type MailJob, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { emailKey, type LinkPurpose, type SignInLink } from "@tapedeck/domain/internal/people"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { changesBetween, plainField } from "../../audit/audited.ts"
import { type InputInvalid, InputMalformed, NotFound, StateConflict, type Unauthenticated } from "../../errors.ts"
import { Ids } from "../../Ids.ts"
import { requireStorable, valueOf } from "../../input/decodeInput.ts"
import { numericIdIn } from "../../input/numericId.ts"
import { type Mailed, Mailer } from "../../mail/Mailer.ts"
import { now } from "../../now.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { accessChange } from "../../store/changes/changes.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"
import { addressKey } from "../addressKey.ts"
import { adminOf, auditedUser } from "../auditedUser.ts"
import { type Caller, RequestOrigin } from "../Caller.ts"
import { LinkRefused, SignInThrottled } from "./errors.ts"
import { linkMail } from "./linkMail.ts"
import { passwordProblem } from "./passwordRules.ts"
import { writer } from "./requireCurrent.ts"
import { hashOf } from "./Sessions.ts"
import { type Admitted, SignIn } from "./SignIn.ts"
import { countTries, sharedTries } from "./tries.ts"

/** A link, which is shown only once. */
export interface IssuedLink {
  readonly url: string
  readonly expiresAt: Instant
  readonly mailed: Mailed
}

const setupKeys = Object.keys(setupFields)

/** Limits of mails to one address on requests without a session: requests from one network address, and all of them. */
const mailLimit = { tries: 3, perMs: 3_600_000 }
const mailLimitInAll = { ...mailLimit, tries: 9 }

/** One-time links: to set a password (an invitation, a forgotten one, the first admin), or to sign in without one. */
export class SignInLinks extends Context.Service<
  SignInLinks,
  {
    /**
     * Issues a link for this user, which replaces earlier ones; without a user, the link that creates the first admin. Null if there
     * are no sign-in pages. Inside a transaction.
     */
    readonly issue: (user: User | null, purpose: LinkPurpose) => Effect.Effect<Omit<IssuedLink, "mailed"> | null>
    /**
     * Mails a link to its user, if mail is set up. Not inside a transaction. A failed mail is logged, and tried again as those of
     * the outbox are, as long as the link is valid.
     */
    readonly mail: (user: User, purpose: LinkPurpose, link: Omit<IssuedLink, "mailed">) => Effect.Effect<IssuedLink>
    /** Issues a link by an admin, for a user of the account. */
    readonly forPassword: (
      caller: Caller,
      userId: string
    ) => Effect.Effect<IssuedLink, NotFound | StateConflict | Unauthenticated>
    /**
     * Sends a link if the address belongs to an active user who once set a password: an admin issues the first link. The response and
     * its time are the same if not.
     */
    readonly forgotten: (
      input: DecodedInput<ForgottenPassword>
    ) => Effect.Effect<void, InputMalformed | InputInvalid | SignInThrottled | StateConflict>
    /** Returns purpose and user of a link, without using it. */
    readonly look: (
      token: string
    ) => Effect.Effect<{ readonly purpose: LinkPurpose; readonly user: User | null }, LinkRefused>
    /** Uses a link up, and signs in. A link that creates the first admin requires `account`, `name` and `email`; no other takes them. */
    readonly use: (
      input: DecodedInput<LinkInput>,
      previous: string | undefined
    ) => Effect.Effect<Admitted, InputMalformed | InputInvalid | LinkRefused | SignInThrottled>
    /** True if there is no admin yet. */
    readonly isNew: Effect.Effect<boolean>
  }
>()("@tapedeck/core/SignInLinks") {
  static readonly layer = Layer.effect(
    SignInLinks,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "accounts",
        "changes",
        "jobs",
        "nextNumber",
        "passwords",
        "signInLinks",
        "transaction",
        "tryWindows",
        "users"
      )
      const vault = yield* Vault
      const ids = yield* Ids
      const signIn = yield* SignIn
      const log = yield* AuditLog
      const { send } = yield* Mailer
      const config = yield* ServiceConfig
      const policy = config.signIn
      const write = yield* writer

      const validMsOf = (purpose: LinkPurpose) =>
        purpose === "setup" || purpose === "invitation" ? policy.invitationMs : policy.passwordLinkMs

      const issue = Effect.fn("SignInLinks.issue")(function* (user: User | null, purpose: LinkPurpose) {
        if (policy.linkPath === null) return null
        const at = yield* now
        const token = Buffer.from(yield* ids.bytes("sign_in_link", 32)).toString("base64url")
        const link: SignInLink = {
          hash: hashOf(vault, "link", token),
          userId: user?.id ?? null,
          purpose,
          createdAt: at,
          expiresAt: (at + validMsOf(purpose)) as Instant
        }
        yield* store.signInLinks.prune(at)
        yield* store.signInLinks.replace(link)
        return { url: `${config.publicUrl}${policy.linkPath}?token=${token}`, expiresAt: link.expiresAt }
      })

      const putOff = Effect.fnUntraced(
        function* (user: User, purpose: LinkPurpose, url: string) {
          const at = yield* now
          const sealedUrl = yield* Effect.provideService(vault.seal(url), Ids, ids)
          const job: MailJob = {
            kind: "mail",
            id: jobIds.mail(`link ${hashOf(vault, "link", url)}`),
            queueKey: queueKeyOf("mail", user.accountId),
            accountId: user.accountId,
            userId: user.id,
            switch: null,
            link: { purpose, sealedUrl },
            recordingUuid: null,
            deliveryId: null,
            subject: null,
            reason: null,
            failedTries: 0,
            createdAt: at,
            dueAt: at
          }
          const retried = afterFailedTry(job, at)
          if (retried !== null) yield* store.jobs.enqueueOnce(retried)
        },
        Effect.catchCause((cause) => Effect.logError("a mail could not be queued; it is not tried again", cause))
      )

      const mail = Effect.fn("SignInLinks.mail")(function* (
        user: User,
        purpose: LinkPurpose,
        link: Omit<IssuedLink, "mailed">
      ) {
        if (send === null) return { ...link, mailed: "off" as const }
        const sent = send(linkMail(user, { purpose, url: link.url, validMs: validMsOf(purpose) }))
        const mailed = yield* Effect.matchEffect(sent, {
          onSuccess: () => Effect.succeed<Mailed>("sent"),
          onFailure: ({ cause }) =>
            Effect.logWarning("sending a mail failed; retrying later", cause).pipe(
              Effect.andThen(putOff(user, purpose, link.url)),
              Effect.as<Mailed>("failed")
            )
        })
        return { ...link, mailed }
      })

      const told = (user: User, by: User | null, purpose: LinkPurpose) =>
        Effect.gen(function* () {
          const link = yield* issue(user, purpose)
          if (link === null) return null
          yield* log.record({
            accountId: user.accountId,
            eventType: "user.password_link_created",
            status: "success",
            user: by,
            target: { type: "user", id: String(user.id) }
          })
          return link
        })

      const forPassword = Effect.fn("SignInLinks.forPassword")(function* (caller: Caller, userId: string) {
        const number = numericIdIn(userId)
        const issueChecked = Effect.gen(function* () {
          const user = number === undefined ? undefined : yield* store.users.byId(UserId.make(number))
          if (user?.accountId !== caller.account.id) return yield* new NotFound({ what: "User" })
          if (!user.active)
            return yield* new StateConflict({ reason: "The user is deactivated: reactivate them first" })
          if (!policy.passwords)
            return yield* new StateConflict({ reason: "People sign in by the provider here, and not with a password" })
          const link = yield* told(user, caller.user, "password")
          if (link === null)
            return yield* new StateConflict({ reason: "There are no pages here that a link could lead to" })
          return { user, link }
        })
        const { link, user } = yield* write(caller, issueChecked)
        return yield* mail(user, "password", link)
      })

      const forgotten = Effect.fn("SignInLinks.forgotten")(function* (input: DecodedInput<ForgottenPassword>) {
        yield* requireStorable(input)
        const given = yield* valueOf(input)
        if (send === null || !policy.passwords) {
          return yield* new StateConflict({ reason: "No mail is sent from here: ask an admin for a link" })
        }
        const { ipAddress } = yield* RequestOrigin
        const keyOf = (text: string) => hashOf(vault, "try", text)
        const name = `mail to ${emailKey(given.email)}`
        const counts = [
          [keyOf(`mail from ${addressKey(ipAddress ?? "")}`), policy.perAddress] as const,
          ...sharedTries(keyOf, name, ipAddress, mailLimit, mailLimitInAll)
        ]
        const counted = yield* countTries(store, counts)
        if (!counted.isLetThrough) return yield* new SignInThrottled({ retryAfterMs: counted.retryAfterMs })
        const issueChecked = Effect.gen(function* () {
          const user = yield* store.users.byEmail(given.email)
          if (user === undefined || !user.active) return null
          // A user whom an access token invited has none: mail must not bring them what the token was refused (S1).
          if ((yield* store.passwords.ofUser(user.id)) === undefined) return null
          const link = yield* told(user, null, "password")
          return link === null ? null : { user, link }
        })
        const bring = Effect.flatMap(store.transaction(issueChecked), (issued) =>
          issued === null ? Effect.void : Effect.asVoid(mail(issued.user, "password", issued.link))
        )
        // The mail is sent in the background: its duration would show whether the user is known.
        yield* Effect.forkDetach(
          Effect.catchCause(bring, (cause) => Effect.logError("a link for a password could not be sent", cause))
        )
      })

      const find = Effect.fnUntraced(function* (token: string) {
        const link = yield* store.signInLinks.byHash(hashOf(vault, "link", token))
        if (link === undefined || (yield* now) >= link.expiresAt) return yield* new LinkRefused()
        const user = link.userId === null ? null : yield* store.users.byId(link.userId)
        if (user === undefined || user?.active === false) return yield* new LinkRefused()
        return { link, user }
      })

      const look = (token: string) => Effect.map(find(token), ({ link, user }) => ({ purpose: link.purpose, user }))

      const isNew = Effect.gen(function* () {
        for (const { id } of yield* store.accounts.list) {
          if ((yield* store.users.countActiveAdmins(id)) > 0) return false
        }
        return true
      })

      const system = (
        account: Account,
        eventType: AuditEventType,
        target: { readonly type: string; readonly id: string },
        changes: ReturnType<typeof changesBetween>
      ) => log.record({ accountId: account.id, eventType, status: "success", user: null, target, changes })

      /** The account and its admin, of a server that had none. */
      const setUp = Effect.fnUntraced(function* (given: Required<LinkInput>) {
        const account: Account = {
          id: AccountId.make(yield* store.nextNumber("account")),
          name: given.account,
          apiAccess: true
        }
        const id = UserId.make(yield* store.nextNumber("user"))
        const user = adminOf(account, { id, email: given.email, name: given.name, at: yield* now })
        yield* store.accounts.save(account)
        yield* store.users.save(user)
        yield* store.changes.publishOnCommit(accessChange)
        const named = { name: plainField(account.name), api_access: plainField(true) }
        yield* system(
          account,
          "account.updated",
          { type: "account", id: String(account.id) },
          changesBetween(null, named)
        )
        const invited = changesBetween(null, auditedUser(user))
        yield* system(account, "user.invited", { type: "user", id: String(user.id) }, invited)
        return user
      })

      const check = (user: User | null, { json }: DecodedInput<LinkInput>) =>
        Effect.fnUntraced(function* (rest: Lenient<LinkInput>, report: Report) {
          for (const key of user === null ? ["password", ...setupKeys] : ["password"]) {
            if (json[key] === undefined) report([key], "is required")
          }
          const owner = user ?? { email: rest.email ?? "", name: rest.name ?? "" }
          const problem = rest.password === undefined ? undefined : passwordProblem(rest.password, owner)
          if (problem !== undefined) report(["password"], problem)
          if (rest.email !== undefined && (yield* store.users.byEmail(rest.email)) !== undefined) {
            report(["email"], "is the address of a user already")
          }
        })

      /** A link that needs no password. */
      const signInWith = Effect.fnUntraced(function* (token: string, previous: string | undefined) {
        const { link, user } = yield* find(token)
        if (user === null) return yield* new LinkRefused()
        yield* store.signInLinks.removeOf(link.userId)
        return yield* signIn.admit(user, "link", previous)
      })

      const use = Effect.fn("SignInLinks.use")(function* (
        input: DecodedInput<LinkInput>,
        previous: string | undefined
      ) {
        yield* requireStorable(input)
        // The kind of link decides which other fields are allowed.
        const token = typeof input.json.token === "string" ? input.json.token : (yield* valueOf(input)).token
        const { link: found, user } = yield* find(token)
        if (found.purpose === "sign_in") return yield* store.transaction(signInWith(token, previous))
        const unknown = user === null ? [] : Object.keys(input.json).filter((key) => setupKeys.includes(key))
        if (unknown.length > 0) {
          return yield* new InputMalformed({ reason: unknown.map((key) => `${key}: unknown key`).join("; ") })
        }
        // `check` reports what this link requires.
        const given = (yield* valueOf(input, check(user, input))) as Required<LinkInput>
        const hash = yield* signIn.hash(given.password)
        const done = Effect.gen(function* () {
          // The link may have been used while the hash was made.
          const { link, user: still } = yield* find(token)
          if (still === null && !(yield* isNew)) return yield* new LinkRefused()
          const whose = still ?? (yield* setUp(given))
          yield* store.signInLinks.removeOf(link.userId)
          yield* signIn.keepPassword(whose, hash)
          return yield* signIn.admit(whose, "link", previous)
        })
        return yield* store.transaction(done)
      })

      return SignInLinks.of({ issue, mail, forPassword, forgotten, look, use, isNew })
    })
  )
}
