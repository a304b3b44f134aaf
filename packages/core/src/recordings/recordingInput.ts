import type { AccountId, Instant, Recording, RecordingId, RecordingUuid, UserId } from "@tapedeck/domain"
import { type Lenient, type RecordingInput, type Report, within } from "@tapedeck/domain/input"
import { emailKey } from "@tapedeck/domain/internal/people"
import { checkHelpdesk } from "../input/helpdesk.ts"
import { recordingFrom } from "../input/recordingFields.ts"
import { checkRoomInsights } from "./checkRecording.ts"

/** Reports contradictory values, as in start documents. */
export const checkRecording = (input: Lenient<RecordingInput>, vendor: string, report: Report) => {
  if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
  if (!input.room_insights) return
  if ((input.recording_type ?? "Received") !== "Live") {
    report(["room_insights"], "only Live recordings have room insights")
  }
  checkRoomInsights(input.room_insights, within(report, "room_insights"))
}

export interface NewRecording {
  readonly id: RecordingId
  readonly uuid: RecordingUuid
  readonly accountId: AccountId
  readonly ownerId: UserId | null
  readonly at: Instant
  readonly vendor: string
}

/** A recording before its upload. */
export const newRecording = (
  input: RecordingInput,
  { accountId, at, id, ownerId, uuid, vendor }: NewRecording
): Recording => ({
  id,
  uuid,
  ...recordingFrom(input, {
    vendor,
    now: at,
    accountOf: () => accountId,
    userIds: new Map(ownerId === null || !input.user ? [] : [[emailKey(input.user), ownerId]])
  }),
  ownerId,
  updatedAt: at,
  video: { original: null, processed: null, edited: null },
  transcript: null
})
