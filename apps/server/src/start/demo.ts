import { now } from "@tapedeck/core"
import { parseIso, RecordingUuid, toIso } from "@tapedeck/domain"
import { loadStartDocument, type StartDocument } from "@tapedeck/fixtures"
import { demoDocument, demoVideo } from "@tapedeck/fixtures/demo"
import { Effect } from "effect"
import type { StartData } from "./fixtures.ts"

const dayMs = 86_400_000

/** The demo's own today: what happened in it is so long before the day of its first start here. */
const demoDay = Date.UTC(2026, 0, 1)

/** What `--demo` puts into a new store. */
export const demoData: StartData = {
  config: {},
  shown: demoDocument.recordings.slice(0, 3).map(({ uuid }) => RecordingUuid.make(uuid)),
  load: Effect.fnUntraced(function* (vendor) {
    const days = Math.floor(((yield* now) - demoDay) / dayMs)
    return yield* loadStartDocument(later(serverDemo(), days * dayMs), { vendor, allowHttp: false })
  })
}

const { sinks: _, ...withoutSinks } = demoDocument

type Recording = (typeof demoDocument.recordings)[number]
type Video = NonNullable<NonNullable<StartDocument["recordings"]>[number]["video"]>

/**
 * The team of the emulator's demo, as it can be on a server:
 * - with tokens of its own making, since well-known ones would open whatever comes into the store later;
 * - with webhooks that are turned off until they have a receiver: a server has no sinks, and calls nobody unasked;
 * - with videos that play, where the emulator makes up bytes, and transcripts that do not wait to be read.
 */
const serverDemo = (): StartDocument => ({
  ...withoutSinks,
  users: demoDocument.users.map(({ token: _, ...user }: { token?: string; email: string; name: string }) => user),
  recordings: demoDocument.recordings.map((recording: Recording) => ({
    ...recording,
    ...("video" in recording && isMadeUp(recording.video) && { video: demoVideo }),
    ...("transcript" in recording && readsOf(recording.transcript))
  })),
  automations: demoDocument.automations.map((one) => ({ ...one, url: receiverOf(one.url), enabled: false })),
  audit_destinations: demoDocument.audit_destinations.map((one) => ({
    ...one,
    url: receiverOf(one.url),
    enabled: false
  }))
})

const isMadeUp = (video: Video): boolean => [video.original, video.processed].some((file) => file?.size !== undefined)

const readsOf = (transcript: { readonly script?: unknown }) => {
  const { script, ...rest } = transcript
  const isRead = typeof script === "object" && script !== null && "reads" in script
  return isRead ? { transcript: rest } : {}
}

/** An address that nobody has: the name is reserved for examples. */
const receiverOf = (sink: string): string => `https://receiver.example/${sink.replace("sink:", "")}`

/** The document with all its instants so much later. */
const later = <A>(value: A, byMs: number): A => {
  if (typeof value === "string") {
    const instant = /^\d{4}-\d{2}-\d{2}T.*Z$/.test(value) ? parseIso(value) : undefined
    return (instant === undefined ? value : toIso((instant + byMs) as typeof instant)) as A
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one) => later(one, byMs)) as A
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, later(one, byMs)])) as A
}
