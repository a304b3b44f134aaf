import { type Instant, parseIso, type RoomInsights } from "@tapedeck/domain"
import { type Lenient, present, type Report, type RoomInsightsInput, type SegmentInput } from "@tapedeck/domain/input"
import { roomDurationSeconds } from "@tapedeck/domain/internal/recordings"

export const instantOf = (value: string | null | undefined): Instant | null =>
  value === undefined || value === null ? null : (parseIso(value) ?? null)

export const checkRoomInsights = (room: Lenient<RoomInsightsInput>, report: Report) => {
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

export const isBefore = (end: Instant | null, start: Instant | null): boolean =>
  end !== null && start !== null && end < start

export const checkSegments = (
  segments: ReadonlyArray<Lenient<SegmentInput> | undefined> | null | undefined,
  report: Report
) => {
  for (const [index, segment] of present(segments)) {
    const { end_seconds, start_seconds } = segment
    if (typeof end_seconds === "number" && start_seconds !== undefined && end_seconds < start_seconds) {
      report([index, "end_seconds"], "is before start_seconds")
    }
  }
}
