import { TranscriptInput } from "@tapedeck/domain/input"
import { parseSearch } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { RecordingList, RecordingSettings, TranscriptSettings } from "../src/index.ts"
import { ada, bob, callerOf, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const one = uuidOf(1)

const listed = (text: string, caller = admin) =>
  Effect.flatMap(RecordingList, ({ list }) =>
    Effect.map(list(caller, { order: "-created_at", ...parseSearch(text) }), ({ items }) =>
      items.map(({ match, recording }) => [recording.id, match] as const)
    )
  )

const edit = (text: string) =>
  Effect.flatMap(TranscriptSettings, (settings) =>
    settings.edit(
      admin,
      one,
      inputOf(TranscriptInput, { segments: [{ start_seconds: 7, end_seconds: null, text, sentences: [] }] })
    )
  )

/** Lets something happen after the store's next search, before its result is used. */
const afterNextSearch = ({ store }: SettingsWorld, meanwhile: () => Promise<unknown>) => {
  const { search } = store.recordings
  Object.assign(store.recordings, {
    search: (...options: Parameters<typeof search>) =>
      Effect.tap(search(...options), () => {
        Object.assign(store.recordings, { search })
        return Effect.promise(meanwhile)
      })
  })
}

it("a search returns the sentence that was said, to those who may see the recording", async () => {
  const world = await makeSettingsWorld()
  const match = { startSeconds: 0, text: "Recognized" }
  expect(await world.run(listed("recog"))).toEqual([[1, match]])
  expect(await world.run(listed("recog", callerOf(bob)))).toEqual([[1, match]])
  await world.run(world.store.recordings.save({ ...(await world.recording(1)), ownerId: ada.id }))
  expect(await world.run(listed("recog", callerOf(bob)))).toEqual([])
  await world.run(edit("Corrected words"))
  expect(await world.run(listed("words"))).toEqual([[1, { startSeconds: 7, text: "Corrected words" }]])
  expect(await world.run(listed("recog"))).toEqual([])
})

const remove = Effect.flatMap(RecordingSettings, (settings) => settings.remove(admin, one))

it.each([
  ["edited", ({ run }: SettingsWorld) => run(edit("Corrected")), undefined],
  [
    "edited, and has the word still",
    ({ run }: SettingsWorld) => run(edit("Now recognized")),
    { startSeconds: 7, text: "Now recognized" }
  ],
  ["removed", ({ run }: SettingsWorld) => run(remove), undefined]
])("a recording that was %s since the search has no old sentence", async (_, meanwhile, match) => {
  const world = await makeSettingsWorld()
  afterNextSearch(world, () => meanwhile(world))
  expect(await world.run(listed("recog"))).toEqual([[1, match]])
})
