import type { AuditDestination, Automation, Delivery, SigningSecrets } from "@tapedeck/domain"
import { acceptedPart, type DecodedInput, type SecretRotation } from "@tapedeck/domain/input"
import {
  DEFAULT_OVERLAP_MS,
  livePreviousSecrets,
  MAX_PREVIOUS_SECRETS,
  rotateSecret
} from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import { type AuditedField, auditor, changesBetween, isChange } from "../audit/audited.ts"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { receiverChange } from "../store/changes/changes.ts"
import { storeOf, type WebhookReceiver } from "../store/Store.ts"
import { type SentTest, testRunner } from "./sendTest.ts"

/** Use cases of automations and of audit destinations. `authorize` decides which calls are permitted. */
export interface ReceiverSettings<Receiver, New, Change> {
  readonly get: (caller: Caller, id: string) => Effect.Effect<Receiver, NotFound>
  readonly create: (caller: Caller, input: DecodedInput<New>) => Effect.Effect<Receiver, InputInvalid | Unauthenticated>
  /** Disabling it cancels its pending deliveries (W11). */
  readonly update: (
    caller: Caller,
    id: string,
    input: DecodedInput<Change>
  ) => Effect.Effect<Receiver, NotFound | InputInvalid | Unauthenticated>
  readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  /** The only call that may return the secrets (S3), with an audit entry. */
  readonly viewSecret: (caller: Caller, id: string) => Effect.Effect<Receiver, NotFound | Unauthenticated>
  /** Replaces the secret, or gives a destination without one its first. */
  readonly rotateSecret: (
    caller: Caller,
    id: string,
    input: DecodedInput<SecretRotation>
  ) => Effect.Effect<Receiver, NotFound | StateConflict | InputInvalid | Unauthenticated>
  /**
   * Sends a sample recording, or the audit entry of the test itself: at once, without retries, also if it is disabled, and
   * whatever its filters say (W9).
   */
  readonly test: (caller: Caller, id: string) => Effect.Effect<SentTest, NotFound | Unauthenticated>
}

/** The differences between automations and audit destinations in their common operations. */
interface Receivers<Receiver> {
  readonly kind: "automation" | "audit_destination"
  /** Name of the kind in error messages. */
  readonly what: string
  readonly byId: (id: string) => Effect.Effect<Receiver | undefined>
  readonly save: (receiver: Receiver) => Effect.Effect<void>
  readonly remove: (receiver: Receiver) => Effect.Effect<void>
  readonly asReceiver: (receiver: Receiver) => WebhookReceiver
  /** The receiver in the form of the audit log. */
  readonly fields: (receiver: Receiver) => Readonly<Record<string, AuditedField>>
}

/** Called with the receivers that a change disables or deletes (`Deliveries.cancelling`). */
export type ReportOff = (receiver: WebhookReceiver) => void

/** The common operations on webhooks, each with an audit entry and within the caller's account. */
export const receiverSettings = Effect.fnUntraced(function* <Receiver extends Automation | AuditDestination>({
  asReceiver,
  byId,
  fields,
  kind,
  remove: removeIt,
  save: saveIt,
  what
}: Receivers<Receiver>) {
  const write = yield* writer
  const deliveries = yield* Deliveries
  const ids = yield* Ids
  const audit = yield* auditor
  const runTest = yield* testRunner
  const { changes: log } = yield* storeOf("changes")
  const publish = (receiver: Receiver) => log.publishOnCommit(receiverChange(receiver, asReceiver(receiver)))
  const save = (receiver: Receiver) => Effect.andThen(saveIt(receiver), publish(receiver))
  const notFound = new NotFound({ what })
  const targetOf = ({ id }: Receiver) => ({ type: kind, id })

  const get = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const receiver = yield* byId(id)
    return receiver === undefined || receiver.accountId !== caller.account.id ? yield* notFound : receiver
  })

  const add = Effect.fnUntraced(function* (caller: Caller, made: Receiver) {
    yield* save(made)
    yield* audit(caller, `${kind}.created`, targetOf(made), changesBetween(null, fields(made)))
    return made
  })

  /** Disabling it cancels its pending deliveries (W11). */
  const replace = Effect.fnUntraced(function* (caller: Caller, before: Receiver, after: Receiver, off: ReportOff) {
    const changes = changesBetween(fields(before), fields(after))
    if (!isChange(changes)) return before
    if (before.enabled && !after.enabled) off(asReceiver(after))
    // Deliveries that a crash left pending when the receiver was disabled are not sent now.
    if (!before.enabled && after.enabled) yield* deliveries.cancelOf(asReceiver(after))
    yield* save(after)
    yield* audit(caller, `${kind}.updated`, targetOf(after), changes)
    return after
  })

  const remove = Effect.fnUntraced(function* (caller: Caller, id: string, off: ReportOff) {
    const receiver = yield* get(caller, id)
    yield* removeIt(receiver)
    yield* publish(receiver)
    off(asReceiver(receiver))
    yield* audit(caller, `${kind}.deleted`, targetOf(receiver), changesBetween(fields(receiver), null))
  })

  const viewSecret = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const receiver = yield* get(caller, id)
    yield* audit(caller, `${kind}.secret_viewed`, targetOf(receiver))
    return receiver
  })

  const rotate = Effect.fnUntraced(
    function* (caller: Caller, id: string, input: DecodedInput<SecretRotation>) {
      const receiver = yield* Effect.flatMap(get(caller, id), (before) => rotated(before, input))
      yield* save(receiver)
      yield* audit(caller, `${kind}.secret_rotated`, targetOf(receiver))
      return receiver
    },
    Effect.provideService(Ids, ids)
  )

  /** Sends what `prepare` makes in a transaction, now and once (W9). */
  const sendTest = Effect.fnUntraced(function* (caller: Caller, prepare: Effect.Effect<Delivery, NotFound>) {
    const sent = yield* Effect.flatMap(write(caller, prepare), runTest)
    return sent ?? (yield* notFound)
  })

  return {
    get,
    add,
    replace,
    sendTest,
    remove: (caller: Caller, id: string) => deliveries.cancelling(caller, (off) => remove(caller, id, off)),
    viewSecret: (caller: Caller, id: string) => write(caller, viewSecret(caller, id)),
    rotateSecret: (caller: Caller, id: string, input: DecodedInput<SecretRotation>) =>
      write(caller, rotate(caller, id, input))
  }
})

/** Returns the receiver with a new secret; the old one signs too during the overlap. */
const rotated = Effect.fnUntraced(function* <Owner extends SigningSecrets>(
  owner: Owner,
  input: DecodedInput<SecretRotation>
) {
  const at = yield* now
  const overlaps = acceptedPart(input).overlap_seconds !== 0 && owner.secret !== null
  if (overlaps && livePreviousSecrets(owner, at).length >= MAX_PREVIOUS_SECRETS) {
    const reason = `${MAX_PREVIOUS_SECRETS} old secrets sign along already: wait until one expires, or rotate with overlap_seconds 0`
    return yield* new StateConflict({ reason })
  }
  const { overlap_seconds, secret } = yield* valueOf(input)
  const overlapMs = overlap_seconds === undefined ? DEFAULT_OVERLAP_MS : overlap_seconds * 1000
  return rotateSecret(owner, { to: secret ?? (yield* Ids.webhookSecret), at, overlapMs })
})
