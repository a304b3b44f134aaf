import {
  AutomationId,
  type Delivery,
  DestinationId,
  receiverOfAutomation,
  receiverOfDestination
} from "@tapedeck/domain"
import { skipText } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { auditor } from "../audit/audited.ts"
import { NotFound, StateConflict } from "../errors.ts"
import { folderEventReader } from "../folders/folderEvent.ts"
import { firingOf, renderDelivery, variablesOfFiring } from "../folders/folderPayload.ts"
import type { Caller } from "../people/Caller.ts"
import { storeOf, type WebhookReceiver } from "../store/Store.ts"
import { Deliveries } from "./Deliveries.ts"

/** The receiver of deliveries, as the caller names it. */
export type LogOwner =
  | { readonly kind: "automation"; readonly id: string }
  | { readonly kind: "audit_destination"; readonly id: string }

export type Actor = Pick<Caller, "account" | "user">

/** The receiver of a delivery; null if it has none. */
export const ownerOf = ({ automationId, destinationId }: Delivery): LogOwner | null => {
  if (automationId !== null) return { kind: "automation", id: automationId }
  return destinationId === null ? null : { kind: "audit_destination", id: destinationId }
}

export const receiverFinder = Effect.map(storeOf("automations", "destinations"), (store) =>
  /** Returns the receiver that deliveries of this owner go to now, and how to find them. */
  Effect.fnUntraced(function* (actor: Actor, owner: LogOwner) {
    if (owner.kind === "automation") {
      const automation = yield* store.automations.byId(AutomationId.make(owner.id))
      if (automation?.accountId !== actor.account.id) return yield* new NotFound({ what: "Automation" })
      const receiver: WebhookReceiver = { automationId: automation.id }
      const { enabled, schedule } = receiverOfAutomation(automation)
      return { receiver, enabled, schedule }
    }
    const destination = yield* store.destinations.byId(DestinationId.make(owner.id))
    if (destination?.accountId !== actor.account.id) return yield* new NotFound({ what: "Audit destination" })
    const receiver: WebhookReceiver = { destinationId: destination.id }
    const { enabled, schedule } = receiverOfDestination(destination)
    return { receiver, enabled, schedule }
  })
)

/**
 * Renders a delivery that was not sent, because it was skipped or its URL was invalid, from what the recording and the automation are now:
 * refused while the reason remains. The event keeps its time.
 */
const renderingAgain = Effect.gen(function* () {
  const store = yield* storeOf("accounts", "automations", "folders", "recordings")
  const readEvent = yield* folderEventReader

  return Effect.fnUntraced(function* ({ automationId, createdAt, recordingUuid }: Delivery) {
    const automation = automationId === null ? undefined : yield* store.automations.byId(automationId)
    const recording = recordingUuid === null ? undefined : yield* store.recordings.byUuid(recordingUuid)
    if (automation === undefined || recording === undefined) {
      return yield* new StateConflict({ reason: "The recording was deleted: there is nothing to deliver again" })
    }
    const folder = yield* store.folders.byId(automation.folderId)
    const account = yield* store.accounts.byId(automation.accountId)
    if (folder === undefined || account === undefined) return yield* new NotFound({ what: "Automation" })
    const firing = firingOf(automation, recording)
    const event = yield* readEvent({ recording, folder, account, at: createdAt }, variablesOfFiring(firing))
    const rendered = renderDelivery(firing, event)
    if (rendered.skipped !== undefined) {
      return yield* new StateConflict({ reason: `It would be skipped again: ${skipText(rendered.skipped)}` })
    }
    if (rendered.isUrlInvalid === true) return yield* new StateConflict({ reason: "Its URL is still invalid" })
    return rendered
  })
})

/**
 * Sends a delivery's body again, as a new delivery, whose id it returns. Belongs inside a transaction; a refusal comes before anything
 * is written.
 */
export const deliveringAgain = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const audit = yield* auditor
  const receiverOf = yield* receiverFinder
  const renderAgain = yield* renderingAgain

  return Effect.fnUntraced(function* (actor: Actor, owner: LogOwner, before: Delivery) {
    const { enabled, schedule } = yield* receiverOf(actor, owner)
    if (before.test) return yield* new StateConflict({ reason: "A send-test is not delivered again: send another" })
    if (before.error === "payload_too_large") {
      return yield* new StateConflict({
        reason: "The payload was too large to be sent: there is nothing to deliver again"
      })
    }
    if (!enabled) return yield* new StateConflict({ reason: `The ${words[owner.kind]} is turned off` })
    const isRendered = before.skipped === undefined && before.error === undefined
    const { accountId, auditEntryId, automationId, body, destinationId, event, recordingUuid, urlValues } = before
    const rendered = isRendered ? { body, ...(urlValues !== undefined && { urlValues }) } : yield* renderAgain(before)
    yield* deliveries.cancel(before)
    const again = yield* deliveries.enqueue({
      accountId,
      automationId,
      destinationId,
      recordingUuid,
      auditEntryId,
      event,
      schedule,
      ...rendered,
      redeliveryOf: before.id
    })
    const changes = { delivery: { from: before.id, to: again } }
    yield* audit(actor, `${owner.kind}.redelivered`, { type: owner.kind, id: owner.id }, changes)
    return again
  })
})

const words = { automation: "automation", audit_destination: "audit destination" } as const
