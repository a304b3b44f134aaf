import { parseRecordingUuid, type Recording } from "@tapedeck/domain"
import { Effect } from "effect"
import { NotFound } from "../errors.ts"
import type { Caller } from "../people/Caller.ts"
import { mayRead } from "../people/permissions.ts"
import type { Store } from "../store/Store.ts"

const notFound = new NotFound({ what: "Recording" })

/** Finds a recording by the UUID that a request has. */
export const recordingFinder =
  ({ recordings }: Pick<Store, "recordings">) =>
  (uuidText: string): Effect.Effect<Recording, NotFound> => {
    const uuid = parseRecordingUuid(uuidText)
    if (uuid === undefined) return Effect.fail(notFound)
    return Effect.flatMap(recordings.byUuid(uuid), (found) =>
      found === undefined ? Effect.fail(notFound) : Effect.succeed(found)
    )
  }

/** The same, for a caller who may read it. */
export const readableFinder = (store: Pick<Store, "recordings">) => {
  const find = recordingFinder(store)
  return (caller: Caller, uuid: string) =>
    Effect.flatMap(find(uuid), (recording) =>
      mayRead(caller, recording) ? Effect.succeed(recording) : Effect.fail(notFound)
    )
}
