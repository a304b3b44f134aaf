import type { LogEvent } from "@tapedeck/domain/capture"
import { MAX_LOG_BYTES } from "@tapedeck/domain/capture"
import { FinishInput, SiteCaptureInput, SiteChange, SiteInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { unpacked } from "../src/capture/storedLog.ts"
import { CaptureSessions, CaptureStarts, CaptureUploads, SiteSettings } from "../src/index.ts"
import { beforeNextTransaction } from "./beforeNextTransaction.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada, { kind: "session" })

const header = {
  version: 1,
  started_at: "2026-01-01T10:00:00.000Z",
  page: { url: "https://shop.test/", title: "" },
  user_agent: "",
  viewport: { width: 1, height: 1 },
  timezone: "",
  language: ""
}

const mark = (seq: number, text = `from a${seq}@b.co`): LogEvent => ({ seq, t: 0, kind: "mark", text })

const batch = (...events: ReadonlyArray<LogEvent>) => [header, ...events].map((line) => JSON.stringify(line)).join("\n")

/** An open capture of a site. */
const opened = async () => {
  const world = await makeSettingsWorld()
  const site = await world.run(
    SiteSettings.use(({ create }) =>
      create(admin, inputOf(SiteInput, { name: "Shop", origins: ["https://shop.test"] }))
    )
  )
  const { capture } = await world.run(
    CaptureStarts.use((captures) => captures.beginBySite(site.key, inputOf(SiteCaptureInput, {}), null, null))
  )
  const append = (text: string, stream = "main") =>
    world.run(CaptureUploads.use((captures) => captures.appendLog(capture.id, stream, text)))
  const current = () => world.run(Effect.map(world.store.captures.byId(capture.id), (found) => found!))
  /** The events of each piece. */
  const pieces = async () =>
    (await world.run(world.store.captures.pieces(capture.id, "log"))).map(({ lines }) =>
      unpacked(lines)
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter((line) => line.version === undefined)
    )
  return { world, site, capture, append, current, pieces }
}

const seqs = (pieces: ReadonlyArray<ReadonlyArray<LogEvent>>) => pieces.map((piece) => piece.map(({ seq }) => seq))

describe("A batch of log lines that is prepared while another one is written", () => {
  it("is written once when the same batch comes twice at a time, and counted once", async () => {
    const { append, current, pieces, world } = await opened()
    beforeNextTransaction(world.store, () => append(batch(mark(0), mark(1))))
    await append(batch(mark(0), mark(1)))
    expect(seqs(await pieces())).toEqual([[0, 1]])
    expect(await current()).toMatchObject({ redactions: { email: 2 }, use: { events: 2 }, lastPiece: 1 })
  })

  it("is written without the events that came in the meantime", async () => {
    const { append, current, pieces, world } = await opened()
    beforeNextTransaction(world.store, () => append(batch(mark(1), mark(2))))
    await append(batch(mark(0), mark(1), mark(2), mark(3)))
    expect(seqs(await pieces())).toEqual([
      [1, 2],
      [0, 3]
    ])
    expect(await current()).toMatchObject({ redactions: { email: 4 }, use: { events: 4 }, lastPiece: 2 })
  })

  it("is cut off where another stream has taken the room in the meantime", async () => {
    const { append, capture, current, pieces, world } = await opened()
    const line = JSON.stringify(mark(0, "1")).length + 1
    const use = { ...capture.use, bytes: MAX_LOG_BYTES - 2 * line }
    await world.run(world.store.captures.save({ ...capture, use }))
    beforeNextTransaction(world.store, () => append(batch(mark(0, "1")), "other"))
    await append(batch(mark(0, "1"), mark(1, "a@b.co"), mark(2, "1")))
    expect(seqs(await pieces())).toEqual([[0], [0]])
    expect((await current()).use).toMatchObject({ events: 2, bytes: MAX_LOG_BYTES, beyondBytes: 2 })
    expect((await current()).redactions).toEqual({})
  })

  it("is redacted again when the site's rules change in the meantime", async () => {
    const { append, current, pieces, site, world } = await opened()
    const redaction = { query_parameters: ["ref"] }
    beforeNextTransaction(world.store, () =>
      world.run(SiteSettings.use(({ update }) => update(admin, site.id, inputOf(SiteChange, { redaction }))))
    )
    await append(batch(mark(0, "?ref=4711&page=2")))
    expect(await pieces()).toMatchObject([[{ text: "?ref=[redacted]&page=2" }]])
    expect((await current()).redactions).toEqual({ query_parameter: 1 })
  })

  it("is refused when the capture ends in the meantime", async () => {
    const { append, capture, pieces, world } = await opened()
    await append(batch(mark(0)))
    beforeNextTransaction(world.store, () =>
      world.run(CaptureSessions.use(({ finish }) => finish(capture.id, inputOf(FinishInput, {}))))
    )
    await expect(append(batch(mark(1)))).rejects.toThrow("Capture token")
    expect(await pieces()).toEqual([])
  })
})

describe("A batch of log lines", () => {
  it("lets other fibers run while it is read, redacted and packed, whatever its texts are", async () => {
    const { append } = await opened()
    const texts = ["{name:value:", "a=%25", "4-", "token:/"].map((part) => part.repeat(16_000 / part.length))
    const events = texts.flatMap((text, at) => Array.from({ length: 20 }, (_, index) => mark(at * 20 + index, text)))
    let turns = 0
    let isDone = false
    const other = async () => {
      while (!isDone) {
        turns++
        await new Promise(setImmediate)
      }
    }
    const counting = other()
    await append(batch(...events))
    isDone = true
    await counting
    // 1.3 MB of redaction, 64 Ki characters at a time.
    expect(turns).toBeGreaterThan(10)
  })
})

describe("The end of a capture", () => {
  it("joins more pieces than are read at a time, of several streams, by time, before its transaction", async () => {
    const { append, capture, world } = await opened()
    const count = 1_100
    const at = (seq: number, t: number): LogEvent => ({ seq, t, kind: "mark", text: "" })
    await append(batch())
    await append(batch(at(0, 2), at(1, count + 1)), "tab")
    for (let seq = 0; seq < count; seq++) await append(JSON.stringify(at(seq, seq)))
    const { transaction } = world.store
    const { pieces } = world.store.captures
    let inTransaction = false
    const read: Array<number> = []
    const watched = world.store as { -readonly [Key in "captures" | "transaction"]: (typeof world.store)[Key] }
    watched.transaction = (body) =>
      Effect.suspend(() => {
        inTransaction = true
        return Effect.ensuring(
          transaction(body),
          Effect.sync(() => {
            inTransaction = false
          })
        )
      })
    Object.assign(world.store.captures, {
      pieces: ((id, kind, page) => {
        if (kind === "log") {
          expect(inTransaction).toBe(false)
          read.push(page?.limit ?? Number.POSITIVE_INFINITY)
        }
        return pieces(id, kind, page)
      }) satisfies typeof pieces
    })
    await world.run(CaptureSessions.use(({ finish }) => finish(capture.id, inputOf(FinishInput, {}))))
    expect(read).toEqual([500, 500, 500])
    const { log } = await world.run(
      Effect.flatMap(world.store.recordings.byUuid(capture.recordingUuid), (recording) =>
        world.store.recordingParts.read(recording!.id, "log")
      )
    )
    const events = unpacked(log!).trim().split("\n").slice(1)
    const parsed = events.map((line) => JSON.parse(line) as LogEvent)
    expect(parsed.map(({ seq }) => seq)).toEqual(Array.from({ length: count + 2 }, (_, seq) => seq))
    expect(parsed.map(({ t }) => t)).toEqual([
      0,
      1,
      2,
      2,
      ...Array.from({ length: count - 3 }, (_, n) => n + 3),
      count + 1
    ])
  })
})
