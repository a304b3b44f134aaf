import type { Recording } from "@tapedeck/domain"
import { unseenUntil } from "@tapedeck/domain/internal/recordings"
import { Context, Effect, Layer } from "effect"
import type { NotFound, Unauthenticated } from "../errors.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { type RecordingRepository, storeOf } from "../store/Store.ts"
import { readableFinder } from "./recordingFinder.ts"

/** Recordings that a user has opened. Those that are older than the user, or than 30 days, count as seen. */
export class SeenRecordings extends Context.Service<
  SeenRecordings,
  {
    /** Records that the caller has opened the recording; a repeat changes nothing. It is no change of the recording. */
    readonly mark: (caller: Caller, uuid: string) => Effect.Effect<void, NotFound | Unauthenticated>
    /** Returns a predicate of these recordings: true for those that the caller has seen. */
    readonly seen: (
      caller: Caller,
      recordings: ReadonlyArray<Recording>
    ) => Effect.Effect<(recording: Recording) => boolean>
  }
>()("@tapedeck/core/SeenRecordings") {
  static readonly layer = Layer.effect(
    SeenRecordings,
    Effect.gen(function* () {
      const store = yield* storeOf("recordings")
      const write = yield* writer
      const find = readableFinder(store)

      const mark = Effect.fn("SeenRecordings.mark")(function* (caller: Caller, uuid: string) {
        yield* markSeen(store.recordings, yield* find(caller, uuid), caller.user)
      })

      const seen = Effect.fnUntraced(function* ({ user }: Caller, recordings: ReadonlyArray<Recording>) {
        const at = yield* now
        const recent = recordings.filter((recording) => unseenUntil(recording, user, at) !== null)
        const opened = yield* store.recordings.seenBy(
          user.id,
          recent.map(({ uuid }) => uuid)
        )
        const unseen = new Set(recent.map(({ uuid }) => uuid).filter((uuid) => !opened.has(uuid)))
        return ({ uuid }: Recording) => !unseen.has(uuid)
      })

      return SeenRecordings.of({ mark: (caller, uuid) => write(caller, mark(caller, uuid)), seen })
    })
  )
}

/** Records that the user has opened or created the recording. Inside the transaction. */
export const markSeen = Effect.fnUntraced(function* (
  recordings: Pick<RecordingRepository, "markSeen">,
  recording: Recording,
  user: Caller["user"]
) {
  const expiresAt = unseenUntil(recording, user, yield* now)
  if (expiresAt !== null) yield* recordings.markSeen(recording.uuid, { userId: user.id, expiresAt })
})
