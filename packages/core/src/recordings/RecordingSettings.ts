import { FolderId, parseIso, type Recording, RecordingId, RecordingUuid } from "@tapedeck/domain"
import type { DecodedInput, FolderChoice, Lenient, RecordingInput, Report } from "@tapedeck/domain/input"
import { filesOf } from "@tapedeck/domain/internal/files"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { removeCaptureOf, stayOutOfFolder } from "../capture/captureOfRecording.ts"
import type { InputInvalid, NotFound, StateConflict, Unauthenticated } from "../errors.ts"
import { cancelMediaJobs } from "../files/media/MediaWork.ts"
import { removePieceFiles } from "../files/pieces.ts"
import { keepRecordingQuota } from "../files/quota.ts"
import { Folders } from "../folders/Folders.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { errorsFrom } from "../input/recordingFields.ts"
import { makeNotices } from "../mail/Notices.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { ownerFor } from "./ownerFor.ts"
import { type OwnedRecording, Recordings } from "./Recordings.ts"
import { checkRecording, newRecording } from "./recordingInput.ts"
import { markSeen } from "./SeenRecordings.ts"

/** Creates, changes, moves and deletes recordings (S2). A recording that the caller may not see does not exist (R4). */
export class RecordingSettings extends Context.Service<
  RecordingSettings,
  {
    /**
     * Creates a recording without its video, which is uploaded next. A member creates recordings of their own only. With `folder_id` the
     * recording enters that folder, whose automations fire.
     */
    readonly create: (
      caller: Caller,
      input: DecodedInput<RecordingInput>
    ) => Effect.Effect<OwnedRecording, InputInvalid | StateConflict | Unauthenticated>
    /** Moves the recording into a folder, out of its previous one; fires the folder's automations, unless it was there already (W13). */
    readonly move: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<FolderChoice>
    ) => Effect.Effect<OwnedRecording, NotFound | InputInvalid | Unauthenticated>
    /** Removes the recording from its folder; a repeat changes nothing. */
    readonly leave: (caller: Caller, uuid: string) => Effect.Effect<void, NotFound | Unauthenticated>
    /** Returns the state of the recording's capture; null without a capture, and once it has ended. */
    readonly captureState: (recording: Recording) => Effect.Effect<"open" | "finishing" | null>
    /** Deletes it with its files, and ends its capture. Its pending deliveries are sent. */
    readonly remove: (caller: Caller, uuid: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/RecordingSettings") {
  static readonly layer = Layer.effect(
    RecordingSettings,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "captureLinks",
        "captures",
        "changes",
        "files",
        "folders",
        "jobs",
        "nextNumber",
        "recordingParts",
        "recordings",
        "transaction",
        "users"
      )
      const write = yield* writer
      const config = yield* ServiceConfig
      const recordings = yield* Recordings
      const folders = yield* Folders
      const ids = yield* Ids
      const audit = yield* auditor
      const notices = yield* makeNotices

      const check = (caller: Caller) =>
        Effect.fnUntraced(function* (input: Lenient<RecordingInput>, report: Report) {
          checkRecording(input, config.vendor, report)
          const createdAt = parseIso(input.created_at ?? "")
          if (createdAt !== undefined) {
            if (caller.user.role !== "admin") report(["created_at"], "can be set by admins only")
            else if (createdAt > (yield* now)) report(["created_at"], "is in the future")
          }
          const owner = yield* ownerFor(store, caller, input.user)
          if (caller.user.role !== "admin" && owner?.id !== caller.user.id) {
            report(["user"], "must be yourself: only admins make recordings of others")
          } else if (owner === undefined) report(["user"], "is not the e-mail address of a user")
          yield* checkFolder(caller)(input, report)
        })

      const checkFolder = (caller: Caller) =>
        Effect.fnUntraced(function* (
          { folder_id }: { readonly folder_id?: string | null | undefined },
          report: Report
        ) {
          if (typeof folder_id !== "string") return
          const folder = yield* store.folders.byId(FolderId.make(folder_id))
          if (folder?.accountId !== caller.account.id) report(["folder_id"], "is not the id of a folder")
        })

      const moveTo = Effect.fnUntraced(function* (caller: Caller, before: Recording, folderId: string) {
        const { moved } = yield* folders.addRecording(FolderId.make(folderId), before.uuid)
        if (moved) {
          yield* audit(caller, "recording.added_to_folder", target(before), {
            folder_id: { from: before.folderId, to: folderId }
          })
        }
        return yield* recordings.get(caller, before.uuid)
      })

      const create = Effect.fn("RecordingSettings.create")(
        function* (caller: Caller, input: DecodedInput<RecordingInput>) {
          // A member makes their own only.
          yield* Effect.provide(
            keepRecordingQuota(caller.user),
            Context.add(storeContext(store), ServiceConfig, config)
          )
          const given = yield* valueOf(input, check(caller))
          const owner = (yield* ownerFor(store, caller, given.user)) ?? null
          const { sharing } = caller.account
          const made = newRecording(given, {
            id: RecordingId.make(yield* store.nextNumber("recording")),
            uuid: RecordingUuid.make(yield* Ids.uuid("recording")),
            accountId: caller.account.id,
            ownerId: owner?.id ?? null,
            at: yield* now,
            vendor: config.vendor
          })
          const recording: Recording = sharing === undefined ? made : { ...made, sharing }
          yield* store.recordings.save(recording)
          yield* markSeen(store.recordings, recording, caller.user)
          yield* store.changes.publishOnCommit(recordingChange(recording))
          yield* store.recordingParts.save(recording.id, errorsFrom(given))
          yield* audit(caller, "recording.created", target(recording), {
            title: { from: null, to: recording.title },
            user: { from: null, to: owner?.email ?? null }
          })
          yield* notices.recordingCreated(recording)
          if (!given.folder_id) return { recording, owner }
          // Neither is missing: the folder was checked, and the recording is new.
          return yield* Effect.catchTag(moveTo(caller, recording, given.folder_id), "NotFound", Effect.die)
        },
        Effect.provideService(Ids, ids)
      )

      const move = Effect.fn("RecordingSettings.move")(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<FolderChoice>
      ) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const { folder_id } = yield* valueOf(input, checkFolder(caller))
        return yield* moveTo(caller, before, folder_id)
      })

      const leave = Effect.fn("RecordingSettings.leave")(function* (caller: Caller, uuid: string) {
        const { recording } = yield* recordings.get(caller, uuid)
        if (recording.folderId === null) return
        const left: Recording = { ...recording, folderId: null }
        yield* store.recordings.save(left)
        yield* store.changes.publishOnCommit(recordingChange(left))
        yield* Effect.provide(stayOutOfFolder(recording.uuid), storeContext(store))
        yield* audit(caller, "recording.removed_from_folder", target(recording), {
          folder_id: { from: recording.folderId, to: null }
        })
      })

      const captureState = Effect.fnUntraced(function* ({ uuid }: Recording) {
        const state = (yield* store.captures.ofRecording(uuid))?.state
        if (state === "open") return state
        return state === "finishing" || state === "abandoning" ? "finishing" : null
      })

      const forget = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording } = yield* recordings.get(caller, uuid)
        const captured = yield* Effect.provide(removeCaptureOf(recording.uuid), storeContext(store))
        yield* store.recordings.remove(recording.uuid)
        yield* store.changes.publishOnCommit(recordingChange(recording, true))
        yield* cancelMediaJobs(store, recording.uuid)
        yield* audit(caller, "recording.deleted", target(recording), { title: { from: recording.title, to: null } })
        return [...captured, ...filesOf(recording.video).map(({ fileId }) => fileId)]
      })

      return RecordingSettings.of({
        captureState,
        create: (caller, input) => write(caller, create(caller, input)),
        move: (caller, uuid, input) => write(caller, move(caller, uuid, input)),
        leave: (caller, uuid) => write(caller, leave(caller, uuid)),
        remove: (caller, uuid) =>
          Effect.flatMap(write(caller, forget(caller, uuid)), (files) =>
            Effect.provide(removePieceFiles(files), storeContext(store))
          )
      })
    })
  )
}

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
