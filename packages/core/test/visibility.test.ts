import type { Recording, User } from "@tapedeck/domain"
import { RecordingChange } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Caller, mayRead, RecordingContent, Recordings } from "../src/index.ts"
import { ada, aRecording, bob, callerOf, cyd, other, otto } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeWorld } from "./useCaseWorld.ts"

const video = {
  original: { fileId: "file", contentType: "video/mp4", sizeBytes: 1, etag: '"e"' },
  processed: null,
  edited: null
}

const recordings = {
  "Bob's": aRecording(1, { ownerId: bob.id, video }),
  "Cyd's": aRecording(2, { ownerId: cyd.id, video }),
  "no owner's": aRecording(3, { ownerId: null, video }),
  "Otto's, of another account": aRecording(4, { ownerId: otto.id, accountId: other.id, video }),
  "no owner's, of another account": aRecording(5, { ownerId: null, accountId: other.id, video })
}
type Owner = keyof typeof recordings

const sees: Readonly<Record<string, { readonly user: User; readonly owners: ReadonlyArray<Owner> }>> = {
  "the admin Ada": { user: ada, owners: ["Bob's", "Cyd's", "no owner's"] },
  "the member Bob": { user: bob, owners: ["Bob's"] },
  "the member Cyd": { user: cyd, owners: ["Cyd's"] },
  "Otto, another account's admin": {
    user: otto,
    owners: ["Otto's, of another account", "no owner's, of another account"]
  }
}

/** What can be asked of one recording; each gives the recording that it answered with. */
const operations: Record<
  string,
  (caller: Caller, uuid: string) => Effect.Effect<string, { readonly _tag: string }, Recordings | RecordingContent>
> = {
  get: (caller, uuid) =>
    Effect.flatMap(Recordings, (all) => Effect.map(all.get(caller, uuid), ({ recording }) => recording.uuid)),
  update: (caller, uuid) =>
    Effect.flatMap(RecordingContent, (all) =>
      Effect.map(
        all.update(caller, uuid, inputOf(RecordingChange, { title: "Seen" })),
        ({ recording }) => recording.uuid
      )
    ),
  download: (caller, uuid) =>
    Effect.flatMap(RecordingContent, (all) =>
      Effect.map(
        all.download(caller, uuid, () => true),
        ({ recording }) => recording.uuid
      )
    ),
  transcript: (caller, uuid) =>
    Effect.flatMap(RecordingContent, (all) => Effect.map(all.transcript(caller, uuid, 1), (page) => page.recordingUuid))
}

const rows = Object.entries(sees).flatMap(([who, { owners, user }]) =>
  (Object.entries(recordings) as ReadonlyArray<[Owner, Recording]>).flatMap(([whose, recording]) =>
    Object.keys(operations).map((operation) => ({
      who,
      whose,
      operation,
      user,
      recording,
      outcome: owners.includes(whose) ? "is answered" : "NotFound"
    }))
  )
)

const worldOfAll = async () => {
  const world = await makeWorld()
  await world.run(Effect.forEach(Object.values(recordings), world.store.recordings.save))
  return world
}

describe("visibility of recordings (General rule 6, R4)", () => {
  it.each(rows)(
    "a call by $who of $operation on the recording of $whose ends with: $outcome",
    async ({ operation, outcome, recording, user }) => {
      const world = await worldOfAll()
      const asked = operations[operation]!(callerOf(user), recording.uuid)
      const got = await world.run(
        Effect.match(asked, {
          onFailure: ({ _tag }) => _tag,
          onSuccess: (uuid) => (uuid === recording.uuid ? "is answered" : uuid)
        })
      )
      expect(got).toBe(outcome)
      expect(mayRead(callerOf(user), recording)).toBe(outcome === "is answered")
      // What was not found was not touched either.
      if (outcome === "NotFound") {
        expect(await world.run(world.store.recordings.byUuid(recording.uuid))).toEqual(recording)
        expect(world.entries()).toEqual([])
      }
    }
  )

  it.each(Object.entries(sees))(
    "a list for %s has exactly the recordings that they may see",
    async (_who, { owners, user }) => {
      const world = await worldOfAll()
      const page = await world.run(Effect.flatMap(Recordings, (all) => all.list(callerOf(user), { page: 1 })))
      const seen = owners.map((owner) => recordings[owner].uuid).toReversed()
      expect(page.recordings.map(({ recording }) => recording.uuid)).toEqual(seen)
      expect(page.pagination.count).toBe(seen.length)
    }
  )
})
