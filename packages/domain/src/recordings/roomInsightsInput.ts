import * as Schema from "effect/Schema"
import {
  atMostAsJson,
  nullableInstant,
  nullableList,
  nullableNatural,
  nullableText,
  object,
  optional,
  text
} from "../input/fields.ts"

const ParticipantInput = object(
  {
    participant_id: text("Identifier of the participant within the call.").annotate({ examples: ["p-1"] }),
    ...optional({
      display_name: nullableText("Name shown in the call."),
      role: nullableText("Role in the call."),
      browser: nullableText("Browser."),
      os: nullableText("Operating system."),
      device: nullableText("Device."),
      device_type: nullableText("Type of device."),
      user_agent: nullableText("User agent of the browser."),
      joined_at: nullableInstant("Time at which the participant joined."),
      left_at: nullableInstant("Time at which the participant left.")
    })
  },
  "Participant of a live video call."
).annotate({ identifier: "ParticipantInput" })

const maxCharacters = 32_768

const notMinutes = "must be a number of at least 0, or null"

export const RoomInsightsInput = object(
  optional({
    started_at: nullableInstant("Time at which the call began."),
    ended_at: nullableInstant("Time at which the call ended."),
    duration: nullableNatural(
      "Length of the call, in seconds. A value that contradicts `started_at` and `ended_at` is refused.",
      "their difference, else null"
    ),
    total_participant_minutes: Schema.NullOr(
      Schema.Number.check(
        Schema.isFinite({ message: notMinutes }),
        Schema.isGreaterThanOrEqualTo(0, { message: notMinutes })
      )
    ).annotate({
      message: notMinutes,
      description: "Total time of all participants in the call, in minutes. Default: null."
    }),
    total_unique_participants: nullableNatural("Number of different participants."),
    participants_insights: nullableList(ParticipantInput, "Participants. Default: null.")
  }),
  `Room of a live video call. At most ${maxCharacters} characters as JSON.`
)
  .check(atMostAsJson(maxCharacters))
  .annotate({ identifier: "RoomInsightsInput" })
export type RoomInsightsInput = typeof RoomInsightsInput.Type
