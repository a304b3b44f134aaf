import type { AccountId, Delivery, Folder, Recording } from "@tapedeck/domain"
import { deliveryStateName } from "@tapedeck/domain/delivery"
import type { Change } from "./ChangeLog.ts"

/** The change of an account, a user, a session or a token: permissions may have changed. */
export const accessChange: Change = { kind: "access" }

export const recordingChange = ({ accountId, folderId, ownerId, uuid }: Recording, removed = false): Change => ({
  kind: "recording",
  accountId,
  ownerId,
  data: { uuid, folder_id: folderId, removed }
})

export const transcriptChange = ({ accountId, ownerId, uuid }: Recording): Change => ({
  kind: "transcript",
  accountId,
  ownerId,
  data: { uuid }
})

/** The change of a folder's recordings, of which many have left it. */
export const folderChange = ({ accountId, id }: Pick<Folder, "accountId" | "id">): Change => ({
  kind: "recording",
  accountId,
  ownerId: "any",
  data: { uuid: null, folder_id: id, removed: false }
})

/** The change of a receiver's deliveries, of which many may have changed; without `receiver`, of any deliveries of the account. */
export const receiverChange = (
  { accountId }: { readonly accountId: AccountId },
  { automationId = null, destinationId = null }: Partial<Pick<Delivery, "automationId" | "destinationId">> = {}
): Change => ({
  kind: "delivery",
  accountId,
  data: {
    id: null,
    automation_id: automationId,
    audit_destination_id: destinationId,
    recording_uuid: null,
    state: null
  }
})

export const deliveryChange = (delivery: Delivery): Change => ({
  kind: "delivery",
  accountId: delivery.accountId,
  data: {
    id: delivery.id,
    automation_id: delivery.automationId,
    audit_destination_id: delivery.destinationId,
    recording_uuid: delivery.recordingUuid,
    state: deliveryStateName(delivery.state)
  }
})

/** The changes of a delivery whose last attempt has ended. */
export const attemptChanges = (delivery: Delivery): ReadonlyArray<Change> => {
  const change = deliveryChange(delivery)
  const attempt = delivery.attempts.at(-1)
  if (attempt === undefined) return [change]
  const data = {
    delivery_id: delivery.id,
    automation_id: delivery.automationId,
    audit_destination_id: delivery.destinationId,
    attempt: attempt.attempt,
    outcome: attempt.outcome,
    status_code: attempt.statusCode
  }
  return [change, { kind: "attempt", accountId: delivery.accountId, data }]
}
