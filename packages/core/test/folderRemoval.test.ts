import { FolderId, type Recording } from "@tapedeck/domain"
import { FolderChoice } from "@tapedeck/domain/input"
import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { FolderSettings, Folders, makeRetention, RecordingSettings } from "../src/index.ts"
import { ada, callerOf, instantAfter, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const vip = FolderId.make("vip")

const remove = Effect.flatMap(FolderSettings, (folders) => folders.remove(admin, vip))

/** Six batches, oldest first. */
const filled = async () => {
  const world = await makeSettingsWorld()
  const [model] = [await world.recording(1)]
  const recordings = Array.from({ length: 1_200 }, (_, index): Recording => {
    const createdAt = instantAfter(index)
    return { ...model, id: (1_000 + index) as Recording["id"], uuid: uuidOf(1_000 + index), createdAt, folderId: vip }
  })
  await world.run(world.store.recordings.add(recordings))
  return world
}

/** Runs an effect after the first batch of recordings has left the folder. */
const afterFirstBatch = ({ store: { recordings } }: SettingsWorld, effect: Effect.Effect<unknown>) => {
  const { leaveFolder } = recordings
  const leaving: typeof leaveFolder = (folder, batch) => {
    Object.assign(recordings, { leaveFolder })
    return Effect.tap(leaveFolder(folder, batch), effect)
  }
  Object.assign(recordings, { leaveFolder: leaving })
}

const countInFolder = ({ store }: SettingsWorld) =>
  Effect.map(
    store.recordings.page({ accountId: admin.account.id, folderId: vip }, { offset: 0, limit: 1 }),
    ({ count }) => count
  )

const inFolder = (world: SettingsWorld) => world.run(countInFolder(world))

describe("the removal of a folder with many recordings", () => {
  it("lets them leave in batches, keeps what users change in between, and lets none enter", async () => {
    const world = await filled()
    const seen: Record<string, unknown> = {}
    const meanwhile = async () => {
      seen.left = await inFolder(world)
      seen.entered = await world.run(Effect.flip(Folders.use((folders) => folders.addRecording(vip, uuidOf(1_000)))))
      await world.run(
        RecordingSettings.use(({ move }) => move(admin, uuidOf(2_100), inputOf(FolderChoice, { folder_id: "bugs" })))
      )
      await world.run(RecordingSettings.use(({ leave }) => leave(admin, uuidOf(2_101))))
    }
    afterFirstBatch(world, Effect.promise(meanwhile))
    await world.run(remove)
    expect(seen).toMatchObject({ left: 1_000, entered: { _tag: "NotFound", what: "Folder" } })
    expect(await inFolder(world)).toBe(0)
    const moved = await world.run(world.store.recordings.byUuid(uuidOf(2_100)))
    expect(moved?.folderId).toBe("bugs")
    const last = world.entries().findLast(({ eventType }) => eventType === "folder.deleted")
    expect(last?.metadata.changes.recordings).toEqual({ from: 1_200, to: null })
  })

  it("is completed by the next turn of retention if the process ends in between", async () => {
    const world = await filled()
    afterFirstBatch(world, Effect.die("the process ends"))
    const exit = await world.run(Effect.exit(remove))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    expect(await inFolder(world)).toBe(1_000)
    await world.run(makeRetention({ auditMs: null, logsMs: null }))
    expect(await inFolder(world)).toBe(0)
  })
})
