import {
  FolderId,
  filesGone,
  filesOf,
  parseIso,
  type Recording,
  RecordingId,
  RecordingUuid,
  type RecordingVideo,
  type VideoFile,
  type VideoVersion
} from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../Caller.ts"
import type { Conflicting, Invalid, Malformed, NotFound, Unauthenticated } from "../errors.ts"
import { Folders } from "../Folders.ts"
import { Ids } from "../Ids.ts"
import type { Lenient } from "../input/lenient.ts"
import type { Report } from "../input/problems.ts"
import { errorsFrom } from "../input/recordingFields.ts"
import { makeNotices } from "../mail/Notices.ts"
import { startMediaWork } from "../media/MediaWork.ts"
import { now } from "../now.ts"
import { type OwnedRecording, Recordings } from "../Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeContext, storeOf } from "../Store.ts"
import { writer } from "../signIn/requireCurrent.ts"
import { auditor, changesBetween, isChange } from "./audited.ts"
import { auditedVideo } from "./auditedVideo.ts"
import { object, textId } from "./fields.ts"
import { readInput, requireAnyField, requireKnownKeys, type SettingsInput } from "./input.ts"
import { MemberQuota, quotaExceeded, quotaOf } from "./quota.ts"
import {
  auditedRecording,
  changedErrors,
  changedRecording,
  checkRecordingChange,
  RecordingChange
} from "./recordingChange.ts"
import { checkRecording, newRecording, RecordingInput } from "./recordingInput.ts"
import { refuseTrimmed } from "./TrimSettings.ts"
import { type Upload, UploadPolicy, type UploadRefusal, writeUpload } from "./upload.ts"

const MoveInput = object({ folder_id: textId("Id of the folder.") }, "Where to.")

/** Creates, changes, moves and deletes recordings (S2). A recording that the caller may not see does not exist (R4). */
export class RecordingSettings extends Context.Service<
  RecordingSettings,
  {
    /**
     * Without its video, which is uploaded next. A member makes recordings of their own only. With `folder_id` it goes to
     * that folder, whose automations fire.
     */
    readonly create: (
      caller: Caller,
      input: SettingsInput
    ) => Effect.Effect<OwnedRecording, Malformed | Invalid | Conflicting | Unauthenticated>
    /** Of any field that the settings can change. What is left out stays. `updatedAt` moves only where something changed, as in v2 (R11). */
    readonly update: (
      caller: Caller,
      uuid: string,
      input: SettingsInput
    ) => Effect.Effect<OwnedRecording, Malformed | NotFound | Invalid | Unauthenticated>
    /**
     * Stores a file from a stream; the original by default. An original replaces all previous files, a
     * processed or edited file the previous one of its kind. An upload whose `fileId` exists was repeated: it is not read, and
     * nothing changes.
     */
    readonly upload: <E>(
      caller: Caller,
      uuid: string,
      upload: Upload<E>,
      version?: VideoVersion
    ) => Effect.Effect<OwnedRecording, NotFound | UploadRefusal | Unauthenticated | E>
    /** Refuses an upload of so many bytes that goes beyond the caller's quota now; `upload` looks again when they are there. */
    readonly admitUpload: (
      caller: Caller,
      uuid: string,
      sizeBytes: number
    ) => Effect.Effect<void, NotFound | Conflicting>
    /** Into a folder, and so out of the one where it was; fires the folder's automations, unless it was there already (W13). */
    readonly move: (
      caller: Caller,
      uuid: string,
      input: SettingsInput
    ) => Effect.Effect<OwnedRecording, Malformed | NotFound | Invalid | Unauthenticated>
    /** Out of its folder; a harmless repeat changes nothing. */
    readonly leave: (caller: Caller, uuid: string) => Effect.Effect<void, NotFound | Unauthenticated>
    /** Deletes it with its files. Its pending deliveries are sent. */
    readonly remove: (caller: Caller, uuid: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/RecordingSettings") {
  static readonly layer = Layer.effect(
    RecordingSettings,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "files",
        "folders",
        "mediaJobs",
        "nextNumber",
        "recordingParts",
        "recordings",
        "users"
      )
      const policy = yield* UploadPolicy
      const write = yield* writer
      const config = yield* ServiceConfig
      const recordings = yield* Recordings
      const folders = yield* Folders
      const ids = yield* Ids
      const audit = yield* auditor
      const notices = yield* makeNotices

      /** Returns the owner of a recording that the caller creates. */
      const ownerFor = Effect.fnUntraced(function* (caller: Caller, email: string | null | undefined) {
        if (email === undefined) return caller.user
        const user = email === null ? null : yield* store.users.byEmail(email)
        return user === null || user?.accountId === caller.account.id ? user : undefined
      })

      const check = (caller: Caller) =>
        Effect.fnUntraced(function* (input: Lenient<RecordingInput>, report: Report) {
          checkRecording(input, config.vendor, report)
          const createdAt = parseIso(input.created_at ?? "")
          if (createdAt !== undefined) {
            if (caller.user.role !== "admin") report(["created_at"], "can be set by admins only")
            else if (createdAt > (yield* now)) report(["created_at"], "is in the future")
          }
          const owner = yield* ownerFor(caller, input.user)
          if (caller.user.role !== "admin" && owner?.id !== caller.user.id) {
            report(["user"], "must be yourself: only admins make recordings of others")
          } else if (owner === undefined) report(["user"], "is not the e-mail address of a user")
          yield* checkFolder(caller)(input, report)
        })

      const checkChange = (caller: Caller) =>
        Effect.fnUntraced(function* (change: Lenient<RecordingChange>, report: Report) {
          checkRecordingChange(change, config.vendor, report)
          if (change.user !== undefined && (yield* ownerFor(caller, change.user)) === undefined) {
            report(["user"], "is not the e-mail address of a user")
          }
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

      /** Belongs inside the transaction that makes another recording. A member makes their own only. */
      const keepRecordingQuota = Effect.fnUntraced(function* (caller: Caller) {
        const { recordings: limit } = quotaOf(caller, yield* MemberQuota)
        if (limit === null) return
        const own = { accountId: caller.account.id, ownerId: caller.user.id }
        const { count } = yield* store.recordings.page(own, { offset: 0, limit: 0 })
        if (count >= limit) return yield* quotaExceeded("recordings", limit)
      })

      /** The rest of the caller's quota of bytes for a file that replaces others. */
      const allowanceFor = Effect.fnUntraced(function* (caller: Caller, replaced: ReadonlyArray<VideoFile>) {
        const { bytes: limit } = quotaOf(caller, yield* MemberQuota)
        if (limit === null) return null
        const stored = yield* store.recordings.storedBytes({ accountId: caller.account.id, ownerId: caller.user.id })
        const freed = replaced.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        return { maxBytes: limit - stored + freed, refusal: quotaExceeded("bytes", limit) }
      })

      const create = Effect.fn("RecordingSettings.create")(
        function* (caller: Caller, input: SettingsInput) {
          yield* keepRecordingQuota(caller)
          const given = yield* readInput(RecordingInput, input, check(caller))
          const owner = (yield* ownerFor(caller, given.user)) ?? null
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
          yield* store.recordingParts.save(recording.id, errorsFrom(given))
          yield* audit(caller, "recording.created", target(recording), {
            title: { from: null, to: recording.title },
            user: { from: null, to: owner?.email ?? null }
          })
          yield* notices.recordingCreated(recording)
          if (!given.folder_id) return { recording, owner }
          // Both are there: the folder was checked, and the recording is new.
          return yield* Effect.catchTag(moveTo(caller, recording, given.folder_id), "NotFound", Effect.die)
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("RecordingSettings.update")(function* (
        caller: Caller,
        uuid: string,
        input: SettingsInput
      ) {
        yield* requireAnyField(RecordingChange, input)
        const { owner: ownerBefore, recording: before } = yield* recordings.get(caller, uuid)
        const change = yield* readInput(RecordingChange, input, checkChange(caller))
        const errorsBefore = yield* store.recordingParts.read(before.id, "consoleErrors", "networkErrors")
        const errors = { ...errorsBefore, ...changedErrors(change) }
        const owner = change.user === undefined ? ownerBefore : ((yield* ownerFor(caller, change.user)) ?? null)
        const at = yield* now
        const ownerId = change.user === undefined ? before.ownerId : (owner?.id ?? null)
        const after = changedRecording(before, change, { at, ownerId, vendor: config.vendor })
        const changes = changesBetween(
          auditedRecording(before, ownerBefore, errorsBefore, config.vendor),
          auditedRecording(after, owner, errors, config.vendor)
        )
        if (!isChange(changes)) return { recording: before, owner: ownerBefore }
        const recording = { ...after, updatedAt: at }
        yield* store.recordings.save(recording)
        yield* store.recordingParts.save(recording.id, changedErrors(change))
        yield* audit(caller, "recording.updated", target(recording), changes)
        return { recording, owner }
      })

      const attach = Effect.fnUntraced(function* (
        caller: Caller,
        uuid: string,
        file: VideoFile,
        version: VideoVersion
      ) {
        const { owner, recording: before } = yield* recordings.get(caller, uuid)
        // A file made of the whole video would be served instead of the cut.
        if (version !== "original") yield* refuseTrimmed(before)
        const video = videoWith(before.video, version, file)
        const allowance = yield* allowanceFor(caller, replacedBy(before.video, version))
        if (allowance !== null && file.sizeBytes > allowance.maxBytes) return yield* allowance.refusal
        const attached: Recording = { ...before, video, updatedAt: yield* now }
        const recording =
          version === "original" ? yield* Effect.provide(startMediaWork(attached), storeContext(store)) : attached
        yield* store.recordings.save(recording)
        yield* audit(caller, "recording.updated", target(recording), {
          video: { from: auditedVideo(before.video), to: auditedVideo(video) }
        })
        return { before, after: { recording, owner } }
      })

      const upload = <E>(caller: Caller, uuid: string, given: Upload<E>, version: VideoVersion = "original") =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const present = yield* recordings.get(caller, uuid)
            if (given.fileId !== undefined && given.fileId === present.recording.video[version]?.fileId) return present
            const allowance = yield* allowanceFor(caller, replacedBy(present.recording.video, version))
            if (allowance !== null && (given.sizeBytes ?? 0) > allowance.maxBytes) return yield* allowance.refusal
            const file = yield* restore(Effect.provideService(writeUpload(given, allowance), UploadPolicy, policy))
            // Deleted meanwhile, or beyond the quota by another upload: then the file goes too.
            const { after, before } = yield* Effect.onError(write(caller, attach(caller, uuid, file, version)), () =>
              store.files.discard(file.fileId)
            )
            yield* removeFiles(filesGone(before.video, after.recording.video))
            return after
          })
        ).pipe(Effect.provideService(Ids, ids), Effect.provide(storeContext(store)))

      const admitUpload = Effect.fn("RecordingSettings.admitUpload")(function* (
        caller: Caller,
        uuid: string,
        sizeBytes: number
      ) {
        const { recording } = yield* recordings.get(caller, uuid)
        const allowance = yield* allowanceFor(caller, replacedBy(recording.video, "original"))
        if (allowance !== null && sizeBytes > allowance.maxBytes) return yield* allowance.refusal
      })

      /** After the commit that lets go of them: a file cannot be put back. */
      const removeFiles = (files: ReadonlyArray<VideoFile>) =>
        Effect.forEach(files, ({ fileId }) => store.files.remove(fileId), { discard: true })

      const move = Effect.fn("RecordingSettings.move")(function* (caller: Caller, uuid: string, input: SettingsInput) {
        yield* requireKnownKeys(MoveInput, input)
        const { recording: before } = yield* recordings.get(caller, uuid)
        const { folder_id } = yield* readInput(MoveInput, input, checkFolder(caller))
        return yield* moveTo(caller, before, folder_id)
      })

      const leave = Effect.fn("RecordingSettings.leave")(function* (caller: Caller, uuid: string) {
        const { recording } = yield* recordings.get(caller, uuid)
        if (recording.folderId === null) return
        yield* store.recordings.save({ ...recording, folderId: null })
        yield* audit(caller, "recording.removed_from_folder", target(recording), {
          folder_id: { from: recording.folderId, to: null }
        })
      })

      const forget = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording } = yield* recordings.get(caller, uuid)
        yield* store.recordings.remove(recording.uuid)
        yield* store.mediaJobs.remove(recording.uuid)
        yield* audit(caller, "recording.deleted", target(recording), { title: { from: recording.title, to: null } })
        return recording
      })

      return RecordingSettings.of({
        create: (caller, input) => write(caller, create(caller, input)),
        update: (caller, uuid, input) => write(caller, update(caller, uuid, input)),
        upload,
        admitUpload,
        move: (caller, uuid, input) => write(caller, move(caller, uuid, input)),
        leave: (caller, uuid) => write(caller, leave(caller, uuid)),
        remove: (caller, uuid) =>
          Effect.flatMap(write(caller, forget(caller, uuid)), ({ video }) => removeFiles(filesOf(video)))
      })
    })
  )
}

/** Files that were made of the previous original. */
const videoWith = (before: RecordingVideo, version: VideoVersion, file: VideoFile): RecordingVideo =>
  version === "original" ? { original: file, processed: null, edited: null } : { ...before, [version]: file }

/** The files that a new file of this version replaces. */
const replacedBy = (video: RecordingVideo, version: VideoVersion): ReadonlyArray<VideoFile> =>
  version === "original" ? filesOf(video) : [video[version]].filter((file) => file !== null)

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
