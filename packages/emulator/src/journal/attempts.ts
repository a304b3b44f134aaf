import type { Attempt, AttemptRequest, Delivery } from "@tapedeck/domain"
import { headerMap } from "@tapedeck/domain/internal/delivery"
import type { AttemptView } from "../control/schemas.ts"
import type { JournalNote } from "./Journal.ts"

/** No attempt of an emulator is lost, because its only worker runs in the same process. */
const requestOf = ({ request }: Attempt): AttemptRequest => {
  if (request === null) throw new Error("an attempt in an emulator has no request")
  return request
}

/** The fields of an ended attempt, in the control plane and in the journal. */
export const endedAttempt = ({ body }: Delivery, attempt: Attempt): Omit<AttemptView, "attempt" | "at"> => ({
  elapsed_ms: attempt.elapsedMs,
  duration_ms: attempt.endedAt - attempt.at,
  outcome: attempt.outcome,
  status_code: attempt.statusCode,
  request: { ...requestOf(attempt), headers: headerMap(requestOf(attempt).headers), body },
  response: attempt.response === null ? null : { ...attempt.response, headers: headerMap(attempt.response.headers) },
  error: attempt.error
})

/** The subject of a delivery. */
export const referencesOf = ({ automationId, destinationId, recordingUuid }: Delivery) => ({
  ...(automationId !== null && { automation: automationId }),
  ...(destinationId !== null && { destination: destinationId }),
  ...(recordingUuid !== null && { recording: recordingUuid })
})

/** The journal entry of an ended attempt. */
export const attemptNote = (delivery: Delivery, attempt: Attempt): JournalNote => ({
  kind: "attempt",
  id: delivery.id,
  ...referencesOf(delivery),
  attempt: attempt.attempt,
  ...endedAttempt(delivery, attempt)
})
