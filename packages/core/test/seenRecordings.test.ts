import { CaptureInput, CaptureLinkInput, FolderChoice, RecordingInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { CaptureLinkSettings, CaptureStarts, makeRetention, RecordingSettings, SeenRecordings } from "../src/index.ts"
import { ada, aRecording, bob, callerOf, instantAfter, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const member = callerOf(bob)
const days = (count: number) => instantAfter(count * 24 * 3_600_000)

/** Returns the UUIDs of the recordings that the caller has not seen. */
const unseenIn = (world: SettingsWorld, caller: typeof admin) =>
  world.run(
    Effect.gen(function* () {
      const { seen } = yield* SeenRecordings
      const recordings = [...world.memory.state().recordings.valuesArray()]
      const isSeen = yield* seen(caller, recordings)
      return recordings.filter((one) => !isSeen(one)).map(({ uuid }) => uuid)
    })
  )

const mark = (caller: typeof admin, uuid: string) => SeenRecordings.use((seen) => seen.mark(caller, uuid))

const three = aRecording(3, { ownerId: bob.id, createdAt: days(1) })

const worldWithNewRecording = async () => {
  const world = await makeSettingsWorld()
  await world.run(world.store.recordings.save(three))
  for (const uuid of [1, 2].map(uuidOf)) {
    const before = (await world.run(world.store.recordings.byUuid(uuid)))!
    await world.run(world.store.recordings.save({ ...before, createdAt: instantAfter(-1) }))
  }
  await world.setTime(days(2))
  return world
}

describe("a recording that a user has not opened", () => {
  it("is unseen until that user opens it, which is no change of the recording", async () => {
    const world = await worldWithNewRecording()
    expect(await unseenIn(world, admin)).toEqual([uuidOf(3)])
    expect(await unseenIn(world, member)).toEqual([uuidOf(3)])
    const changes = world.memory.state().recordingChanges
    await world.run(mark(member, uuidOf(3)))
    await world.run(mark(member, uuidOf(3)))
    expect(await unseenIn(world, member)).toEqual([])
    expect(await unseenIn(world, admin)).toEqual([uuidOf(3)])
    expect(world.memory.state().recordingChanges).toBe(changes)
    expect(world.memory.state().auditEntries.size).toBe(0)
  })

  it("is not found by a member who may not see it, and not recorded for them", async () => {
    const world = await worldWithNewRecording()
    await world.run(world.store.recordings.save({ ...three, ownerId: ada.id }))
    expect(await world.refusal(mark(member, uuidOf(3)))).toMatchObject({ _tag: "NotFound" })
    expect(await world.refusal(mark(member, "none"))).toMatchObject({ _tag: "NotFound" })
    expect(world.memory.state().seenRecordings.size).toBe(0)
  })

  it("is not older than the user, nor than 30 days: nothing is recorded for others, and records are removed", async () => {
    const world = await worldWithNewRecording()
    const invited = { ...admin, user: { ...ada, createdAt: days(2) } }
    expect(await unseenIn(world, invited)).toEqual([])
    await world.setTime(instantAfter(31 * 24 * 3_600_000 - 1))
    // An entry of the day confirms the clock to retention.
    await world.run(
      RecordingSettings.use(({ move }) => move(admin, uuidOf(3), inputOf(FolderChoice, { folder_id: "vip" })))
    )
    expect(await unseenIn(world, admin)).toEqual([uuidOf(3)])
    await world.run(mark(admin, uuidOf(1)))
    await world.run(mark(admin, uuidOf(3)))
    await world.run(makeRetention({ auditMs: null, logsMs: null }))
    expect(world.memory.state().seenRecordings.keysArray()).toEqual([uuidOf(3)])
    await world.setTime(days(31))
    expect(await unseenIn(world, member)).toEqual([])
    await world.run(mark(member, uuidOf(3)))
    expect(world.memory.state().seenRecordings.size).toBe(1)
    await world.setTime(instantAfter(31 * 24 * 3_600_000 + 3_600_000))
    await world.run(makeRetention({ auditMs: null, logsMs: null }))
    expect(world.memory.state().seenRecordings.size).toBe(0)
  })

  it("is not of the member who records it, but of all for whom a customer records it", async () => {
    const world = await worldWithNewRecording()
    const { capture } = await world.run(
      Effect.gen(function* () {
        const { create } = yield* CaptureLinkSettings
        const { beginByAgent, beginByLink } = yield* CaptureStarts
        const { token } = yield* create(member, inputOf(CaptureLinkInput, {}))
        yield* beginByAgent(member, inputOf(CaptureInput, {}))
        return yield* beginByLink(token, null)
      })
    )
    expect(await unseenIn(world, member)).toEqual([uuidOf(3), capture.recordingUuid])
    expect(await unseenIn(world, admin)).toHaveLength(3)
  })

  it("is not of its creator", async () => {
    const world = await worldWithNewRecording()
    const input = inputOf(RecordingInput, { user: "bob@acme.test" })
    const { recording } = await world.run(RecordingSettings.use(({ create }) => create(admin, input)))
    expect(await unseenIn(world, admin)).toEqual([uuidOf(3)])
    expect(await unseenIn(world, member)).toEqual([uuidOf(3), recording.uuid])
  })
})
