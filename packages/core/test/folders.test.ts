import { FolderId, RecordingUuid } from "@tapedeck/domain"
import { noTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { Folders, NotFound } from "../src/index.ts"
import { aFolder, anAutomation, aRecording, bob, instantAfter, other, startInstant, uuidOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const add = (folder: string, uuid: string = uuidOf(1)) =>
  Effect.flatMap(Folders, (folders) => folders.addRecording(FolderId.make(folder), uuid))

const worldOf = async (automations: ReadonlyArray<Parameters<typeof anAutomation>> = []) => {
  const world = await makeWorld({ publicUrl: "https://rec.acme.test" })
  const { store } = world
  await world.run(
    Effect.gen(function* () {
      yield* store.recordings.save(aRecording(1, { title: "Checkout", durationSeconds: 42 }))
      yield* store.recordings.save(aRecording(2, { accountId: other.id }))
      yield* Effect.forEach([aFolder("vip", { name: "VIP" }), aFolder("later")], store.folders.save)
      yield* Effect.forEach(automations, (one) => store.automations.save(anAutomation(...one)))
    })
  )
  return world
}

describe("adding a recording to a folder", () => {
  it("moves it out of its previous folder: a recording is in at most one (W13)", async () => {
    const world = await worldOf()
    expect(await world.run(add("vip"))).toEqual({ moved: true, deliveries: [] })
    expect((await world.run(world.store.recordings.byUuid(uuidOf(1))))?.folderId).toBe("vip")
    expect(await world.run(add("later"))).toEqual({ moved: true, deliveries: [] })
    expect((await world.run(world.store.recordings.byUuid(uuidOf(1))))?.folderId).toBe("later")
  })

  it("fires every enabled automation of that folder, in the order of their creation", async () => {
    const world = await worldOf([
      ["z"],
      ["off", { enabled: false }],
      ["elsewhere", { folderId: FolderId.make("later") }],
      ["a"]
    ])
    const { deliveries } = await world.run(add("vip"))
    const made = await world.deliveries()
    expect(made.map(({ id }) => id)).toEqual(deliveries)
    expect(made.map(({ automationId }) => automationId)).toEqual(["z", "a"])
    expect(new Set(deliveries).size).toBe(2)
  })

  it("succeeds although an automation's payload is too large: that delivery has failed", async () => {
    const payloadTemplate = JSON.stringify(Array.from({ length: 2_000 }, () => "{{recording.browser}}"))
    const world = await worldOf([["large", { payloadTemplate }], ["small"]])
    await world.run(world.store.recordings.save(aRecording(1, { browser: "x".repeat(1_000) })))
    expect((await world.run(add("vip"))).deliveries).toHaveLength(2)
    expect((await world.run(world.store.recordings.byUuid(uuidOf(1))))?.folderId).toBe("vip")
    const [large, small] = await world.deliveries()
    expect(large).toMatchObject({
      automationId: "large",
      state: { _tag: "PermanentlyFailed", at: startInstant },
      error: "payload_too_large",
      body: "",
      attempts: []
    })
    expect(small).toMatchObject({ automationId: "small", state: { _tag: "Scheduled" } })
    expect(small).not.toHaveProperty("error")
    expect((await world.run(world.store.agenda.list)).map((due) => due.kind)).toEqual(["attempt"])
  })

  it("schedules each first attempt for the present instant", async () => {
    const world = await worldOf([["a"]])
    await world.setTime(instantAfter(7_000))
    await world.run(add("vip"))
    expect(await world.deliveries()).toMatchObject([
      {
        accountId: 1,
        automationId: "a",
        recordingUuid: uuidOf(1),
        event: "recording.added_to_folder",
        test: false,
        createdAt: instantAfter(7_000),
        state: { _tag: "Scheduled", dueAt: instantAfter(7_000) },
        attempts: []
      }
    ])
  })

  it("changes and fires nothing if the recording is in the folder already (W13)", async () => {
    const world = await worldOf([["a"]])
    await world.run(add("vip"))
    const state = world.memory.state()
    expect(await world.run(add("vip"))).toEqual({ moved: false, deliveries: [] })
    expect(world.memory.state()).toEqual(state)
  })

  it("fires again when the recording returns", async () => {
    const world = await worldOf([["a"]])
    for (const folder of ["vip", "later", "vip"]) await world.run(add(folder))
    expect(await world.deliveries()).toHaveLength(2)
  })

  it("accepts a UUID in upper case (R5)", async () => {
    const world = await worldOf([["a"]])
    const uuid = uuidOf(3).replace("4000", "4abc")
    await world.run(world.store.recordings.save(aRecording(3, { uuid: RecordingUuid.make(uuid) })))
    expect((await world.run(add("vip", uuid.toUpperCase()))).moved).toBe(true)
  })

  it.each([
    ["an unknown folder", "nowhere", uuidOf(1), "Folder"],
    ["an unknown recording", "vip", uuidOf(9), "Recording"],
    ["what is no UUID", "vip", "seven", "Recording"],
    ["another account's recording", "vip", uuidOf(2), "Recording"]
  ])("refuses %s", async (_, folder, uuid, what) => {
    const world = await worldOf([["a"]])
    const state = world.memory.state()
    expect(await world.refusal(add(folder, uuid))).toEqual(new NotFound({ what }))
    expect(world.memory.state()).toBe(state)
  })
})

describe("the body of an automation's delivery", () => {
  it("is the default payload, with links that begin with public_url (W7, W12)", async () => {
    const world = await worldOf([["a"]])
    await world.setTime(instantAfter(1_000))
    await world.run(add("vip"))
    const [delivery] = await world.deliveries()
    expect(JSON.parse(delivery!.body)).toMatchObject({
      timestamp: "2026-01-01T00:00:01.000Z",
      recording: {
        id: uuidOf(1),
        title: "Checkout",
        url: `https://rec.acme.test/r/${uuidOf(1)}`,
        video_url: `https://rec.acme.test/r/${uuidOf(1)}/video`,
        thumbnail_url: `https://rec.acme.test/r/${uuidOf(1)}/thumbnail`
      },
      folder: { id: "vip", name: "VIP" },
      account: { id: "1", name: "Acme" }
    })
  })

  it("is the automation's own payload if it has one (W6)", async () => {
    const world = await worldOf([
      ["a", { payloadTemplate: '{"t":"{{recording.title}} in {{folder.name}}","d":{{recording.duration}}}' }]
    ])
    await world.run(add("vip"))
    expect((await world.deliveries())[0]?.body).toBe('{"t":"Checkout in VIP","d":42}')
  })

  it("is rendered once, when the event happens; later changes do not affect it (W11)", async () => {
    const world = await worldOf([["a"], ["t", { payloadTemplate: '"{{recording.title}}"' }]])
    await world.run(add("vip"))
    const before = (await world.deliveries()).map(({ body }) => body)
    await world.run(
      Effect.gen(function* () {
        const recording = (yield* world.store.recordings.byUuid(uuidOf(1)))!
        yield* world.store.recordings.save({ ...recording, title: "Changed" })
        yield* world.store.folders.save(aFolder("vip", { name: "Changed" }))
        yield* world.store.automations.save(anAutomation("a", { payloadTemplate: '"changed"' }))
      })
    )
    expect((await world.deliveries()).map(({ body }) => body)).toEqual(before)
  })

  it("has the owner and the transcript of the recording if its template uses them, which are read only then (T1)", async () => {
    const world = await worldOf([["a"], ["t", { payloadTemplate: '"{{recording.title}} {{recording.duration}}"' }]])
    const { recordingParts, recordings } = world.store
    const segments = vi.spyOn(recordingParts, "segments")
    const text = (start: number, text: string) => ({ startSeconds: start, endSeconds: null, text, sentences: [] })
    const processed = [text(0, " I click. "), ...Array.from({ length: 60 }, (_, n) => text(n + 1, "Nothing happens."))]
    const transcript = { ...noTranscript, status: "ready", language: "en", processed: processed.length } as const
    await world.run(recordings.save(aRecording(1, { ownerId: bob.id, transcript })))
    await world.run(recordingParts.save(aRecording(1).id, { processed }))
    await world.run(add("vip"))
    expect(segments).not.toHaveBeenCalled()
    const payloadTemplate =
      '"{{recording.user_name}}, {{recording.transcript_language}}: {{recording.transcript_text}}"'
    await world.run(
      world.store.automations.save(anAutomation("t", { payloadTemplate, folderId: FolderId.make("later") }))
    )
    await world.run(add("later"))
    const body = (await world.deliveries()).at(-1)?.body
    expect(body).toBe(`"Bob, en: I click.${" Nothing happens.".repeat(60)}"`)
  })

  it("is rendered in the transaction of the move: if rendering fails, the recording is not moved", async () => {
    const world = await worldOf([["a"], ["broken", { payloadTemplate: "{{unknown.checked}}" }]])
    const state = world.memory.state()
    await expect(world.run(add("vip"))).rejects.toThrow()
    expect(world.memory.state()).toBe(state)
  })
})
