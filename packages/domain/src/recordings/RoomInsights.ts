import * as Schema from "effect/Schema"
import { Instant } from "../time.ts"

const nullableString = Schema.NullOr(Schema.String)

export const ParticipantInsight = Schema.Struct({
  participantId: Schema.String,
  displayName: nullableString,
  role: nullableString,
  browser: nullableString,
  os: nullableString,
  device: nullableString,
  deviceType: nullableString,
  userAgent: nullableString,
  joinedAt: Schema.NullOr(Instant),
  leftAt: Schema.NullOr(Instant)
})
export type ParticipantInsight = typeof ParticipantInsight.Type

/** Room of a live video call. */
export const RoomInsights = Schema.Struct({
  startedAt: Schema.NullOr(Instant),
  endedAt: Schema.NullOr(Instant),
  totalParticipantMinutes: Schema.NullOr(Schema.Finite),
  totalUniqueParticipants: Schema.NullOr(Schema.Natural),
  participantsInsights: Schema.NullOr(Schema.Array(ParticipantInsight))
})
export type RoomInsights = typeof RoomInsights.Type

/** Returns the duration of a call in whole seconds; null unless start and end are known, 0 if the end is before the start. */
export const roomDurationSeconds = ({ startedAt, endedAt }: RoomInsights): number | null =>
  startedAt === null || endedAt === null ? null : Math.max(0, Math.floor((endedAt - startedAt) / 1000))
