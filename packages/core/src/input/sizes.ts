import type { Lenient, Report } from "@tapedeck/domain/input"
import { MAX_SHORT_TEXT, tooLong } from "@tapedeck/domain/input"
import type { RecordingEntry } from "./recordingEntry.ts"

type SizedInput = Pick<
  RecordingEntry,
  | "technical_details"
  | "recording_source"
  | "v1_platform"
  | "browser"
  | "os"
  | "console_logs"
  | "console_errors"
  | "network_errors"
  | "room_insights"
>

/** What lists show is limited, so that a page of 100 recordings is too: a text, and what is kept as JSON. */
const maxLogCharacters = 65_536
const maxRoomCharacters = 32_768
/** Console errors, and network errors. */
const maxErrorCharacters = 1_000_000

/** Reports what is longer than it may be. Titles and descriptions have limits of their own (R11). */
export const checkSizes = (input: Lenient<Partial<SizedInput>>, report: Report) => {
  const text = (value: unknown, ...path: ReadonlyArray<string>) => {
    if (typeof value === "string" && value.length > MAX_SHORT_TEXT) report(path, tooLong(MAX_SHORT_TEXT))
  }
  const json = (field: "room_insights" | "console_errors" | "network_errors", max: number) => {
    const value = input[field]
    if (value && JSON.stringify(value).length > max) report([field], `${tooLong(max)}, as JSON`)
  }
  for (const field of ["recording_source", "v1_platform", "browser", "os"] as const) text(input[field], field)
  for (const [key, value] of Object.entries(input.technical_details ?? {})) text(value, "technical_details", key)
  if (typeof input.console_logs === "string" && input.console_logs.length > maxLogCharacters) {
    report(["console_logs"], tooLong(maxLogCharacters))
  }
  json("room_insights", maxRoomCharacters)
  json("console_errors", maxErrorCharacters)
  json("network_errors", maxErrorCharacters)
}

/** How long a segment of a transcript may be as JSON, so that a page of 100 is at most some 6 MB; a text without segments; the names of speakers. */
const maxPartCharacters = 65_536

export const PART_TOO_LONG = `must be at most ${maxPartCharacters} characters long, as JSON`

/** Whether a segment, a text without segments, or the names of speakers are longer than they may be. */
export const isPartTooLong = (value: unknown): boolean => JSON.stringify(value).length > maxPartCharacters
