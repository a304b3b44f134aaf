import { type Arena, until } from "../Arena.ts"

/** The first bytes of a WebM file: enough for the server to take it for a video. */
const webmHead = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
)

export const webm = (bytes: number): Buffer => Buffer.concat([webmHead, Buffer.alloc(bytes, 7)])

/** A recording with a transcript of so many MiB. */
export const longTranscript = async (arena: Arena, mb: number): Promise<string> => {
  const uuid = await arena.recording()
  const text = "word ".repeat(3_000)
  const segments = Array.from({ length: Math.floor((mb * 1024 * 1024) / text.length) - 1 }, (_, n) => ({
    start_seconds: n,
    end_seconds: n + 1,
    text
  }))
  const path = `/api/settings/recordings/${uuid}/transcript/import`
  await arena.made(path, { method: "PUT", json: { segments } })
  arena.stores(segments.length * text.length)
  return uuid
}

interface LoggedDelivery {
  readonly id: string
  readonly state: string
  readonly attempts: ReadonlyArray<{ readonly status_code: number | null; readonly error: string | null }>
}

/** An execution log once nothing in it is due or in flight. */
export const settledLog = async (arena: Arena, automation: string): Promise<ReadonlyArray<LoggedDelivery>> => {
  await arena.happen()
  const read = async () =>
    (
      await arena.settings<{ deliveries: ReadonlyArray<LoggedDelivery> }>(
        "GET",
        `/automations/${automation}/deliveries`
      )
    ).deliveries
  return until(read, (log) => log.every(({ state }) => state !== "scheduled" && state !== "attempting"), 120_000)
}
