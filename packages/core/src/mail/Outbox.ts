import { timingSafeEqual } from "node:crypto"
import { type User, UserId } from "@tapedeck/domain"
import { afterFailedTry, type MailJob, MailSwitch } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Layer, Schema } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { changesBetween } from "../audit/audited.ts"
import { NotFound } from "../errors.ts"
import { retryStoreCall } from "../jobs/retryStoreCall.ts"
import { now } from "../now.ts"
import { auditedUser } from "../people/auditedUser.ts"
import { linkMail } from "../people/signIn/linkMail.ts"
import { hashOf } from "../people/signIn/Sessions.ts"
import { mayReadAs } from "../recordings/visibility.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { accessChange } from "../store/changes/changes.ts"
import { type JobClaim, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { type Mail, Mailer, MailFailed, type Send } from "./Mailer.ts"
import { noticeMail } from "./noticeMail.ts"
import { isSwitchedOn, switchedOff } from "./switches.ts"

/** Retries for as long as a lease lasts: a mail that is not removed is sent again. */
const maxFinishRetries = 60

/** The switch of a user that a link turns off. */
export interface OffLink {
  readonly user: User
  readonly switch: MailSwitch
}

/** A try to send a mail. `failure`: it is tried again. `skipped`: it was not to be sent any more. */
export interface MailTry {
  readonly outcome: "success" | "failure" | "given_up" | "skipped"
  /** The mail; null if it was not to be sent, or could not be composed. */
  readonly mail: Mail | null
}

type LinkOf = NonNullable<MailJob["link"]>

const isSwitch = Schema.is(MailSwitch)

/** Sends the mails of the outbox, and handles the links that turn them off. */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * The mail as text and HTML. Null if it is not to be sent: the user is deactivated, turned such mail off, or may not see the
     * recording any more; or the mail's link was used, replaced, or has expired.
     */
    readonly compose: (mail: MailJob) => Effect.Effect<Mail | null>
    /**
     * Sends a claimed mail, unless it is not to be sent any more. A mail that fails is tried again by the schedule of mails. `send`: the
     * `Mailer`'s, unless it is given.
     */
    readonly deliver: (claim: JobClaim<MailJob>, send?: Send | null) => Effect.Effect<MailTry>
    /** Returns the mails that a link disables. `NotFound` if this server did not sign it, or the user is deactivated. */
    readonly look: (token: string) => Effect.Effect<OffLink, NotFound>
    /** Turns it off. A harmless repeat changes nothing. */
    readonly turnOff: (token: string) => Effect.Effect<OffLink, NotFound>
  }
>()("@tapedeck/core/Outbox") {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "jobs", "recordings", "signInLinks", "transaction", "users")
      const vault = yield* Vault
      const config = yield* ServiceConfig
      const audit = yield* AuditLog
      const mailer = yield* Mailer

      const signatureOf = (userId: number, one: MailSwitch) => vault.hash(`mail off/${userId}/${one}`)
      const offUrl = (userId: number, one: MailSwitch) =>
        `${config.publicUrl}/mail/off/${userId}-${one}-${signatureOf(userId, one)}`

      const page = ({ deliveryId, recordingUuid }: MailJob) =>
        `${config.consoleUrl ?? config.publicUrl}${deliveryId === null ? `/recordings/${recordingUuid}` : `/deliveries/${deliveryId}`}`

      const isWanted = Effect.fnUntraced(function* (mail: MailJob, one: MailSwitch, user: User) {
        if (!isSwitchedOn(user, one)) return false
        if (mail.deliveryId !== null) return user.role === "admin"
        const recording = mail.recordingUuid === null ? undefined : yield* store.recordings.byUuid(mail.recordingUuid)
        return recording !== undefined && mayReadAs(user, recording)
      })

      const composeLink = Effect.fnUntraced(function* ({ purpose, sealedUrl }: LinkOf, user: User) {
        const url = yield* vault.open(sealedUrl)
        const link = yield* store.signInLinks.byHash(
          hashOf(vault, "link", new URL(url).searchParams.get("token") ?? "")
        )
        const validMs = (link?.expiresAt ?? 0) - (yield* now)
        return validMs <= 0 ? null : linkMail(user, { purpose, url, validMs })
      })

      const compose = Effect.fnUntraced(function* (mail: MailJob) {
        const user = yield* store.users.byId(mail.userId)
        if (user === undefined || !user.active) return null
        if (mail.link !== undefined) return yield* composeLink(mail.link, user)
        const { switch: one } = mail
        if (one === null || !(yield* isWanted(mail, one, user))) return null
        return noticeMail({ ...mail, switch: one }, user, { page: page(mail), off: offUrl(user.id, one) })
      })

      const failed = Effect.fnUntraced(function* (claim: JobClaim<MailJob>, cause: unknown) {
        const next = afterFailedTry(claim.job, yield* now)
        if (next === null) {
          yield* store.jobs.finish(claim)
          yield* Effect.logError("sending a mail failed; giving up", cause)
          return "given_up" as const
        }
        yield* store.jobs.postpone(claim, next)
        yield* Effect.logWarning("sending a mail failed; retrying later", cause)
        return "failure" as const
      })

      const deliver = Effect.fn("Outbox.deliver")(function* (
        claim: JobClaim<MailJob>,
        send: Send | null = mailer.send
      ) {
        let mail: Mail | null = null
        const sent = Effect.gen(function* () {
          // A mail that cannot be composed counts as a failed try, so that it is not tried for ever.
          mail = yield* Effect.catchDefect(compose(claim.job), (cause) => new MailFailed({ cause }))
          if (mail !== null && send !== null) yield* send(mail)
          yield* retryStoreCall(
            store.jobs.finish(claim),
            { kind: "mail", step: "removing a sent mail" },
            maxFinishRetries
          )
          return mail === null ? ("skipped" as const) : ("success" as const)
        })
        const outcome = yield* Effect.catchTag(sent, "MailFailed", ({ cause }) => failed(claim, cause))
        return { outcome, mail } satisfies MailTry
      })

      const look = Effect.fnUntraced(function* (token: string) {
        const [, id = "", one = "", signature = ""] = /^(\d{1,15})-([a-z_]{1,30})-([\w-]{43})$/.exec(token) ?? []
        const notFound = new NotFound({ what: "Link" })
        if (!isSwitch(one)) return yield* notFound
        if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(Number(id), one)))) return yield* notFound
        const user = yield* store.users.byId(UserId.make(Number(id)))
        return user?.active === true ? { user, switch: one } : yield* notFound
      })

      const turnOff = Effect.fnUntraced(function* (token: string) {
        const found = yield* look(token)
        if (!isSwitchedOn(found.user, found.switch)) return found
        const user = { ...switchedOff(found.user, found.switch), updatedAt: yield* now }
        yield* store.users.save(user)
        yield* store.changes.publishOnCommit(accessChange)
        yield* audit.record({
          accountId: user.accountId,
          eventType: "user.updated",
          status: "success",
          user,
          target: { type: "user", id: String(user.id) },
          changes: changesBetween(auditedUser(found.user), auditedUser(user))
        })
        return { ...found, user }
      })

      return Outbox.of({
        compose,
        deliver,
        look,
        turnOff: (token) => store.transaction(turnOff(token))
      })
    })
  )
}
