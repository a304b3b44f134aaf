import {
  type Recording,
  type RecordingChanges,
  type Segment,
  TranscriptStatus,
  type WholeRecording
} from "@tapedeck/domain"
import { decodedAs } from "@tapedeck/domain/input"
import { noParts, putTogether } from "@tapedeck/domain/internal/recordings"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { BeforeTranscriptRead, NotFound, RecordingContent, Recordings, VideoNotReady } from "../src/index.ts"
import {
  aDestination,
  ada,
  aRecording,
  aTranscript,
  aWholeRecording,
  bob,
  callerOf,
  cyd,
  instantAfter,
  saveWhole,
  startInstant,
  uuidOf
} from "./examples.ts"
import { makeWorld, type UseCaseWorld } from "./useCaseWorld.ts"

const worldOf = async (
  recordings: ReadonlyArray<Recording | WholeRecording>,
  config: Parameters<typeof makeWorld>[0] = {}
) => {
  const world = await makeWorld(config)
  await world.run(
    Effect.forEach(recordings, (one) =>
      saveWhole(world.store, "consoleErrors" in one ? one : putTogether(one, noParts))
    )
  )
  return world
}

const stored = (world: UseCaseWorld, n: number) => world.run(world.store.recordings.byUuid(uuidOf(n)))
const asAda = callerOf(ada)

describe("listing recordings", () => {
  const list = (world: UseCaseWorld, page: number, ticket?: { ticketId: string; platform?: "zendesk" | "jira" }) =>
    world.run(Recordings.use((all) => all.list(asAda, { page, ...(ticket && { ticket }) })))

  it("gives pages of the configured size, newest first, each recording with its owner (R6, R7)", async () => {
    const owners = [bob.id, null, cyd.id, bob.id, ada.id]
    const world = await worldOf(
      owners.map((ownerId, index) => aRecording(index + 1, { ownerId, createdAt: instantAfter(index) })),
      { pageSize: 2 }
    )
    const pages = [await list(world, 1), await list(world, 2), await list(world, 3)]
    const seen = pages.flatMap(({ recordings }) => recordings)
    expect(seen.map(({ recording }) => recording.uuid)).toEqual([5, 4, 3, 2, 1].map(uuidOf))
    expect(seen.map(({ owner }) => owner?.name ?? null)).toEqual(["Ada", "Bob", "Cyd", null, "Bob"])
    expect(pages.map(({ pagination }) => pagination)).toMatchObject([
      { count: 5, page: 1, items: 2, pages: 3, nextPage: 2, from: 1, to: 2 },
      { count: 5, page: 2, prevPage: 1, nextPage: 3, from: 3, to: 4 },
      { count: 5, page: 3, prevPage: 2, from: 5, to: 5 }
    ])
  })

  it("gives an empty page past the end (R9)", async () => {
    const world = await worldOf([aRecording(1)], { pageSize: 2 })
    const page = await list(world, 7)
    expect(page.recordings).toEqual([])
    expect(page.pagination).toMatchObject({ count: 1, page: 7, pages: 1, prevPage: 1, from: 0, to: 0 })
  })

  it("returns no owner if the owner does not exist any more", async () => {
    const world = await worldOf([aRecording(1, { ownerId: 999 as never })])
    expect((await list(world, 1)).recordings[0]?.owner).toBeNull()
  })

  it("finds recordings by ticket, among those that the caller may see (N5, N6)", async () => {
    const helpdesk = { ...aRecording(1).helpdesk, platform: "zendesk" as const, ticketId: "7" }
    const world = await worldOf([
      aRecording(1, { helpdesk, ownerId: bob.id }),
      aRecording(2, { helpdesk, ownerId: cyd.id }),
      aRecording(3, { ownerId: bob.id })
    ])
    const uuids = async (caller: typeof asAda, platform?: "zendesk" | "jira") => {
      const ticket = { ticketId: "7", ...(platform && { platform }) }
      const page = await world.run(Recordings.use((all) => all.list(caller, { page: 1, ticket })))
      return page.recordings.map(({ recording }) => recording.uuid)
    }
    expect(await uuids(asAda)).toEqual([uuidOf(2), uuidOf(1)])
    expect(await uuids(asAda, "zendesk")).toEqual([uuidOf(2), uuidOf(1)])
    expect(await uuids(asAda, "jira")).toEqual([])
    expect(await uuids(callerOf(bob))).toEqual([uuidOf(1)])
  })
})

describe("getting a recording", () => {
  const get = (uuid: string) => Recordings.use((all) => all.get(asAda, uuid))

  it("returns it with its owner, by its UUID in either case (R5)", async () => {
    const recording = aRecording(1, { ownerId: bob.id, uuid: "abcdefab-0000-4000-8000-00000000000a" as never })
    const world = await worldOf([recording])
    for (const uuid of [recording.uuid, recording.uuid.toUpperCase()]) {
      expect(await world.run(get(uuid))).toEqual({ recording, owner: bob })
    }
  })

  it.each(["", "7", "not-a-uuid", uuidOf(2), `${uuidOf(1)} `, `{${uuidOf(1)}}`, uuidOf(1).replaceAll("-", "")])(
    "does not find %o (R5)",
    async (uuid) => {
      const world = await worldOf([aRecording(1)])
      expect(await world.refusal(get(uuid))).toEqual(new NotFound({ what: "Recording" }))
    }
  )
})

describe("updating a recording (R11)", () => {
  const update = (changes: RecordingChanges, uuid: string = uuidOf(1)) =>
    RecordingContent.use((all) => all.update(asAda, uuid, decodedAs(changes)))
  const before = aRecording(1, { ownerId: bob.id, title: "Old", summary: "Sum", description: null })

  it("writes the changed fields, updates updatedAt, and returns the owner", async () => {
    const world = await worldOf([before])
    await world.setTime(instantAfter(5_000))
    const expected = { ...before, title: "New", description: "Des", updatedAt: instantAfter(5_000) }
    const answer = await world.run(update({ title: "New", summary: "Sum", description: "Des" }))
    expect(answer).toEqual({ recording: expected, owner: bob })
    expect(await stored(world, 1)).toEqual(expected)
  })

  it("writes an audit entry with each change, the user and the target (A4, A7)", async () => {
    const world = await worldOf([before])
    await world.setTime(instantAfter(5_000))
    await world.run(update({ title: "New", summary: null }, uuidOf(1).toUpperCase()))
    expect(world.entries()).toEqual([
      {
        id: 1,
        accountId: 1,
        eventType: "recording.updated",
        status: "success",
        at: instantAfter(5_000),
        userId: ada.id,
        ipAddress: null,
        userAgent: null,
        metadata: {
          targetType: "recording",
          targetId: uuidOf(1),
          changes: { title: { from: "Old", to: "New" }, summary: { from: "Sum", to: null } }
        }
      }
    ])
  })

  it.each<[string, RecordingChanges]>([
    ["nothing is given", {}],
    ["all is as it was", { title: "Old", summary: "Sum", description: null }]
  ])("writes nothing and keeps updatedAt if %s", async (_, changes) => {
    const world = await worldOf([before])
    await world.setTime(instantAfter(5_000))
    const state = world.memory.state()
    expect((await world.run(update(changes))).recording).toEqual(before)
    expect(world.memory.state()).toEqual(state)
    expect(world.entries()).toEqual([])
  })

  it("commits with its audit entry and the entry's deliveries, all or none (A5)", async () => {
    const world = await worldOf([before])
    await world.run(world.store.destinations.save(aDestination("siem")))
    await world.run(update({ title: "New" }))
    expect(await world.deliveries()).toMatchObject([{ destinationId: "siem", auditEntryId: 1 }])

    const state = world.memory.state()
    const failing = world.store.transaction(Effect.andThen(update({ title: "Newer" }), Effect.fail("no")))
    expect(await world.refusal(failing)).toBe("no")
    expect((await stored(world, 1))?.title).toBe("New")
    expect(world.entries()).toHaveLength(1)
    expect(world.memory.state()).toBe(state)
  })

  it("keeps both of two concurrent changes", async () => {
    const world = await worldOf([before])
    await world.run(
      Effect.all([update({ title: "T" }), update({ summary: "S" }), update({ description: "D" })], {
        concurrency: "unbounded"
      })
    )
    expect(await stored(world, 1)).toMatchObject({ title: "T", summary: "S", description: "D" })
  })

  it("fails with NotFound for an unknown recording", async () => {
    const world = await worldOf([before])
    expect(await world.refusal(update({ title: "New" }, uuidOf(9)))).toEqual(new NotFound({ what: "Recording" }))
  })
})

describe("downloading a recording (R12)", () => {
  const file = (fileId: string) => ({ fileId, contentType: "video/mp4", sizeBytes: 3, etag: `"${fileId}"` })
  const download = RecordingContent.use((all) => all.download(asAda, uuidOf(1), () => true))

  it.each([
    [{ original: file("o"), processed: file("p"), edited: file("e") }, "e"],
    [{ original: file("o"), processed: file("p"), edited: null }, "p"],
    [{ original: file("o"), processed: null, edited: null }, "o"],
    [{ original: null, processed: file("p"), edited: null }, "p"]
  ])("returns the edited file, else the processed one, else the original", async (video, fileId) => {
    const world = await worldOf([aRecording(1, { video })])
    await world.run(world.store.files.save(fileId, { kind: "bytes", bytes: Buffer.from("abc") }))
    const found = await world.run(download)
    expect(found.file).toEqual(file(fileId))
    const bytes = await world.run(Effect.scoped(Effect.flatMap(found.read(1, 2), Stream.runCollect)))
    expect(Buffer.concat([...bytes]).toString()).toBe("bc")
  })

  it("writes an audit entry for each download, once its file is open (A4)", async () => {
    const world = await worldOf([aRecording(1, { video: { original: file("o"), processed: null, edited: null } })])
    const open = Effect.flatMap(download, ({ read }) => Effect.scoped(Effect.exit(read(0, 1))))
    await world.run(open)
    expect(world.entries()).toEqual([])
    await world.run(world.store.files.save("o", { kind: "made_up", sizeBytes: 10 }))
    await world.run(open)
    await world.run(open)
    expect(world.entries()).toMatchObject(
      [1, 2].map((id) => ({
        id,
        eventType: "recording.downloaded",
        status: "success",
        userId: ada.id,
        metadata: { targetType: "recording", targetId: uuidOf(1), changes: {} }
      }))
    )
  })

  it("writes no audit entry for a request that does not start a download (A4)", async () => {
    const world = await worldOf([aRecording(1, { video: { original: file("o"), processed: null, edited: null } })])
    const asked: Array<string> = []
    await world.run(
      RecordingContent.use((all) =>
        all.download(asAda, uuidOf(1), ({ file: { fileId } }) => {
          asked.push(fileId)
          return false
        })
      )
    )
    expect(asked).toEqual(["o"])
    expect(world.entries()).toEqual([])
  })

  it("fails with VideoNotReady, without an entry, if the recording has no file", async () => {
    const world = await worldOf([aRecording(1)])
    expect(await world.refusal(download)).toEqual(new VideoNotReady())
    expect(world.entries()).toEqual([])
  })

  it("dies if the store has lost the file, because the caller cannot mend that", async () => {
    const world = await worldOf([aRecording(1, { video: { original: file("gone"), processed: null, edited: null } })])
    const found = await world.run(download)
    await expect(world.run(Effect.scoped(found.read(0, 3)))).rejects.toThrow("file gone is gone")
  })
})

describe("reading a transcript (R13, R14)", () => {
  const transcript = (page = 1) => RecordingContent.use((all) => all.transcript(asAda, uuidOf(1), page))
  const segment = (n: number): Segment => ({ startSeconds: n, endSeconds: n + 1, text: `Segment ${n}`, sentences: [] })
  const segments = Array.from({ length: 250 }, (_, index) => segment(index))

  it("returns pages of 100 segments, whatever the page size of lists (R6)", async () => {
    const world = await worldOf([aWholeRecording(1, { transcript: aTranscript({ processed: segments }) })], {
      pageSize: 2
    })
    const pages = [await world.run(transcript(1)), await world.run(transcript(2)), await world.run(transcript(3))]
    expect(pages.map((page) => page.segments.length)).toEqual([100, 100, 50])
    expect(pages.flatMap((page) => page.segments)).toEqual(segments)
    expect(pages[1]).toMatchObject({
      recordingUuid: uuidOf(1),
      status: "ready",
      language: "en",
      speakerMap: { "0": "Ada" },
      pagination: { count: 250, page: 2, items: 100, pages: 3, prevPage: 1, nextPage: 3, from: 101, to: 200 }
    })
    expect((await world.run(transcript(4))).segments).toEqual([])
  })

  it.each(TranscriptStatus.literals.filter((status) => status !== "ready"))(
    "returns no segments and no language while the transcript is %s",
    async (status) => {
      const world = await worldOf([aWholeRecording(1, { transcript: aTranscript({ status, processed: segments }) })])
      expect(await world.run(transcript())).toMatchObject({
        status,
        language: null,
        segments: [],
        pagination: { count: 0 }
      })
    }
  )

  it("returns `unavailable`, not an error, for a recording without a transcript", async () => {
    const world = await worldOf([aRecording(1)])
    expect(await world.run(transcript())).toMatchObject({ status: "unavailable", segments: [], speakerMap: {} })
  })

  it("announces the read first, and returns the transcript after that event's effects", async () => {
    const world = await worldOf([
      aWholeRecording(1, { transcript: aTranscript({ status: "processing", processed: segments }) })
    ])
    const finish = (recording: Recording) =>
      Effect.succeed({ ...recording, transcript: { ...recording.transcript!, status: "ready" as const } })
    const read = Effect.provideService(transcript(), BeforeTranscriptRead, finish)
    expect((await world.run(read)).status).toBe("ready")
    expect((await world.run(transcript())).status).toBe("processing")
  })
})

describe("the public page (W12)", () => {
  const view = (count: boolean, uuid: string = uuidOf(1)) =>
    RecordingContent.use((all) => all.publicView(uuid, { count, part: "page", caller: null }))

  it("counts an impression on request, and changes nothing else", async () => {
    const world = await worldOf([aRecording(1, { impressionsCount: 6 })])
    await world.setTime(instantAfter(5_000))
    await world.run(view(true))
    expect((await world.run(view(false))).recording.impressionsCount).toBe(7)
    expect(await stored(world, 1)).toEqual(aRecording(1, { impressionsCount: 7, updatedAt: startInstant }))
    expect(world.entries()).toEqual([])
  })

  it("counts each of many concurrent impressions", async () => {
    const world = await worldOf([aRecording(1)])
    await world.run(
      Effect.all(
        Array.from({ length: 20 }, () => view(true)),
        { concurrency: "unbounded" }
      )
    )
    expect((await stored(world, 1))?.impressionsCount).toBe(20)
  })

  it("fails with NotFound for an unknown recording", async () => {
    const world = await worldOf([])
    for (const uuid of [uuidOf(1), "x"]) {
      expect(await world.refusal(view(true, uuid))).toEqual(new NotFound({ what: "Recording" }))
    }
  })

  it("plays the video without an audit entry, and reports if there is none", async () => {
    const video = {
      original: { fileId: "o", contentType: "video/mp4", sizeBytes: 3, etag: "e" },
      processed: null,
      edited: null
    }
    const world = await worldOf([aRecording(1, { video }), aRecording(2)])
    expect(
      (await world.run(RecordingContent.use((all) => all.publicVideo(uuidOf(1), { part: "files", caller: null })))).file
        .fileId
    ).toBe("o")
    expect(
      await world.refusal(RecordingContent.use((all) => all.publicVideo(uuidOf(2), { part: "files", caller: null })))
    ).toEqual(new VideoNotReady())
    expect(world.entries()).toEqual([])
  })
})
