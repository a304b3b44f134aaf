import {
  type Instant,
  isLongerThan,
  MAX_CHARACTERS,
  parseIso,
  parseRecordingUuid,
  type RoomInsights,
  roomDurationSeconds
} from "@tapedeck/domain"
import type { CheckContext } from "./context.ts"
import { tooLong } from "./fields.ts"
import { checkHelpdesk } from "./helpdesk.ts"
import { emailKey } from "./known.ts"
import { type Lenient, present } from "./lenient.ts"
import { type Report, within } from "./problems.ts"
import type { RecordingEntry, RoomInsightsEntry, SegmentEntry, TranscriptEntry } from "./recordingSchema.ts"
import { accountIn, uniqueKeys } from "./references.ts"
import { checkScript } from "./script.ts"
import { checkSizes, isPartTooLong, PART_TOO_LONG } from "./sizes.ts"

/** What is wrong with recordings beyond what their schema says. */
export const checkRecordings = (
  recordings: ReadonlyArray<Lenient<RecordingEntry> | undefined> | undefined,
  context: CheckContext,
  report: Report
) => {
  const uniqueId = uniqueKeys<number>("id", context.known.recordingIds)
  const uniqueUuid = uniqueKeys<string>("UUID", context.known.recordingUuids)
  for (const [index, recording] of present(recordings)) {
    const here = within(report, "recordings", index)
    uniqueId(recording.id, ["recordings", index, "id"], report)
    const uuid = recording.uuid === undefined ? undefined : parseRecordingUuid(recording.uuid)
    uniqueUuid(uuid, ["recordings", index, "uuid"], report)
    checkReferences(recording, context, here)
    checkDates(recording, here)
    checkTexts(recording, here)
    if (recording.helpdesk) checkHelpdesk(recording.helpdesk, context.options.vendor, within(here, "helpdesk"))
    if (recording.room_insights) {
      if ((recording.recording_type ?? "Received") !== "Live") {
        here(["room_insights"], "only Live recordings have room insights")
      }
      checkRoomInsights(recording.room_insights, within(here, "room_insights"))
    }
    if (recording.video) checkVideo(recording.video, context, within(here, "video"))
    if (recording.transcript) checkTranscript(recording.transcript, context.now, within(here, "transcript"))
  }
}

const checkReferences = ({ account, folder, user }: Lenient<RecordingEntry>, context: CheckContext, report: Report) => {
  const accountId = accountIn(context, account, report)
  const inAnother = (id: number | undefined) => id !== undefined && accountId !== undefined && id !== accountId
  if (user !== undefined && user !== null) {
    const key = emailKey(user)
    if (!context.accountOfUser.has(key)) report(["user"], `no such user ${user}`)
    else if (inAnother(context.accountOfUser.get(key))) report(["user"], `${user} is a user of another account`)
  }
  if (folder !== undefined && folder !== null) {
    if (!context.accountOfFolder.has(folder)) report(["folder"], `no such folder ${folder}`)
    else if (inAnother(context.accountOfFolder.get(folder))) report(["folder"], `${folder} is in another account`)
  }
}

/** As the settings API limits them. */
const checkTexts = (recording: Lenient<RecordingEntry>, report: Report) => {
  checkSizes(recording, report)
  for (const field of ["title", "summary", "description"] as const) {
    const max = MAX_CHARACTERS[field]
    if (isLongerThan(recording[field] ?? "", max)) report([field], tooLong(max))
  }
  if (typeof recording.transcript?.legacy === "string" && isPartTooLong(recording.transcript.legacy)) {
    report(["transcript", "legacy"], PART_TOO_LONG)
  }
}

const instantOf = (value: string | null | undefined): Instant | null =>
  value === undefined || value === null ? null : (parseIso(value) ?? null)

const checkDates = ({ created_at, updated_at }: Lenient<RecordingEntry>, report: Report) => {
  if (created_at === undefined || updated_at === undefined) return
  if (isBefore(instantOf(updated_at), instantOf(created_at))) report(["updated_at"], "is before created_at")
}

export const checkRoomInsights = (room: Lenient<RoomInsightsEntry>, report: Report) => {
  const times: RoomInsights = {
    startedAt: instantOf(room.started_at),
    endedAt: instantOf(room.ended_at),
    totalParticipantMinutes: null,
    totalUniqueParticipants: null,
    participantsInsights: null
  }
  if (isBefore(times.endedAt, times.startedAt)) report(["ended_at"], "is before started_at")
  const duration = roomDurationSeconds(times)
  if (room.duration !== undefined && room.duration !== duration) {
    report(["duration"], `must be ${duration}, which follows from started_at and ended_at (or be left out)`)
  }
  for (const [index, { joined_at, left_at }] of present(room.participants_insights)) {
    if (isBefore(instantOf(left_at), instantOf(joined_at))) {
      report(["participants_insights", index, "left_at"], "is before joined_at")
    }
  }
}

const isBefore = (end: Instant | null, start: Instant | null): boolean => end !== null && start !== null && end < start

const checkVideo = (
  video: NonNullable<Lenient<RecordingEntry>["video"]>,
  { files, options }: CheckContext,
  report: Report
) => {
  for (const [which, file] of Object.entries(video)) {
    const path = file?.path
    if (path === undefined || files.has(path)) continue
    if (options.readFile === undefined) {
      report([which, "path"], "files are read in process and with --fixtures only: give base64 or size")
      continue
    }
    try {
      files.set(path, options.readFile(path))
    } catch (error) {
      report([which, "path"], `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

const checkTranscript = (transcript: Lenient<TranscriptEntry>, now: Instant, report: Report) => {
  if (transcript.segments !== undefined && transcript.processed !== undefined) {
    report(["segments"], "is the same as processed: give only one of them")
  }
  for (const source of ["segments", "processed", "edited"] as const) {
    checkSegments(transcript[source], within(report, source))
  }
  checkSpeakers(transcript.speaker_map, report)
  checkScript(transcript.script, now, within(report, "script"))
}

export const checkSpeakers = (speaker_map: unknown, report: Report) => {
  if (speaker_map !== undefined && isPartTooLong(speaker_map)) report(["speaker_map"], PART_TOO_LONG)
}

export const checkSegments = (
  segments: ReadonlyArray<Lenient<SegmentEntry> | undefined> | null | undefined,
  report: Report
) => {
  for (const [index, segment] of present(segments)) {
    const { end_seconds, start_seconds } = segment
    if (isPartTooLong(segment)) report([index], PART_TOO_LONG)
    if (typeof end_seconds === "number" && start_seconds !== undefined && end_seconds < start_seconds) {
      report([index, "end_seconds"], "is before start_seconds")
    }
  }
}
