import type { AccountId, Delivery, Folder, Recording } from "@tapedeck/domain"
import { deliveryStateName } from "@tapedeck/domain/delivery"
import type { WebhookReceiver } from "../deliveries.ts"
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

const receiverData = ({ automationId, destinationId }: Partial<Pick<Delivery, "automationId" | "destinationId">>) => ({
  automation_id: automationId ?? null,
  audit_destination_id: destinationId ?? null
})

/** The change of a receiver's deliveries, of which many may have changed; without `receiver`, of any deliveries of the account. */
export const receiverChange = (
  { accountId }: { readonly accountId: AccountId },
  receiver: Partial<WebhookReceiver> = {}
): Change => ({
  kind: "delivery",
  accountId,
  data: { id: null, ...receiverData(receiver), recording_uuid: null, state: null }
})

export const deliveryChange = (delivery: Delivery): Change => ({
  kind: "delivery",
  accountId: delivery.accountId,
  data: {
    id: delivery.id,
    ...receiverData(delivery),
    recording_uuid: delivery.recordingUuid,
    state: deliveryStateName(delivery.state)
  }
})

/** The changes of a delivery whose last attempt has ended. */
export const attemptChanges = (delivery: Delivery): ReadonlyArray<Change> => {
  const change = deliveryChange(delivery)
  const last = delivery.attempts.at(-1)
  if (last === undefined) return [change]
  const { attempt, outcome, statusCode } = last
  const data = { delivery_id: delivery.id, ...receiverData(delivery), attempt, outcome, status_code: statusCode }
  return [change, { kind: "attempt", accountId: delivery.accountId, data }]
}
