import { now, storeOf } from "@tapedeck/core"
import { parseIso, RecordingUuid, toIso } from "@tapedeck/domain"
import { contentsOf, loadStartDocument, type StartDocument } from "@tapedeck/fixtures"
import { demoDocument, demoVideo } from "@tapedeck/fixtures/demo"
import { Effect } from "effect"
import { writeDemoDeliveries } from "./demoDeliveries.ts"
import type { StartData } from "./fixtures.ts"

const dayMs = 86_400_000

/** The demo's today. Its events are shifted so that they precede the day of the first start. */
const demoDay = Date.UTC(2026, 0, 1)

/** The automation that has sent something before the first start. */
const shownAutomation = "bugs-to-crm"

/** Start data of `--demo`. */
export const demoData: StartData = {
  config: {},
  contents: () => contentsOf(serverDemo()),
  shown: demoDocument.recordings.slice(0, 3).map(({ uuid }) => RecordingUuid.make(uuid)),
  admin: demoDocument.users[0]?.email ?? null,
  load: Effect.fnUntraced(function* (vendor) {
    const days = Math.floor(((yield* now) - demoDay) / dayMs)
    const document = later(serverDemo(), days * dayMs)
    yield* (yield* storeOf("transaction")).transaction(
      Effect.andThen(loadStartDocument(document, { vendor, allowHttp: false }), writeDemoDeliveries(shownAutomation))
    )
  })
}

const { sinks: _, ...withoutSinks } = demoDocument

type Recording = (typeof demoDocument.recordings)[number]
type Video = NonNullable<NonNullable<StartDocument["recordings"]>[number]["video"]>

/**
 * The team of the emulator's demo, adapted to a server:
 * - tokens are generated, because well-known ones would give access to everything that is added later;
 * - webhooks are disabled until they have a receiver, because a server has no sinks; one is enabled, with a past and a receiver
 *   that no DNS has;
 * - videos can be played, and transcripts change without being read.
 */
const serverDemo = (): StartDocument => ({
  ...withoutSinks,
  users: demoDocument.users.map(({ token: _, ...user }: { token?: string; email: string; name: string }) => user),
  recordings: demoDocument.recordings.map((recording: Recording) => ({
    ...recording,
    ...("video" in recording && isMadeUp(recording.video) && { video: demoVideo }),
    ...("transcript" in recording && readsOf(recording.transcript))
  })),
  automations: demoDocument.automations.map((one) =>
    one.id === shownAutomation
      ? { ...one, url: "https://demo.invalid/hooks/crm" }
      : { ...one, url: receiverOf(one.url), enabled: false }
  ),
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

/** A name that is reserved for examples, so that no server has it. */
const receiverOf = (sink: string): string => `https://receiver.example/${sink.replace("sink:", "")}`

const instants = /\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g

/** The document with all instants shifted, those within its texts included. */
const later = <A>(value: A, byMs: number): A => {
  if (typeof value === "string") {
    return value.replace(instants, (text) => {
      const instant = parseIso(text)
      return instant === undefined ? text : toIso((instant + byMs) as typeof instant)
    }) as A
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one) => later(one, byMs)) as A
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, later(one, byMs)])) as A
}
