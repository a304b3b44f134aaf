import type { settings } from "@tapedeck/contract"
import { type Caller, type OwnedRecording, SeenRecordings, ServiceConfig, SharingSettings } from "@tapedeck/core"
import type { Trim, VideoFile } from "@tapedeck/domain"
import { MediaWorkStates } from "@tapedeck/domain/internal/files"
import { chaptersOf, sharingOf, textSourceOf } from "@tapedeck/domain/internal/recordings"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { wireRecording } from "../../recordings/wire/recording.ts"

const wireFile = (file: VideoFile | null) =>
  file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }

const wireTrim = (trim: Trim | undefined) =>
  trim === undefined ? null : { start_seconds: trim.startSeconds, end_seconds: trim.endSeconds, state: trim.state }

const workKinds = Object.keys(MediaWorkStates.fields) as ReadonlyArray<keyof MediaWorkStates>

const wireWork = (work: MediaWorkStates = {}) =>
  workKinds.flatMap((kind) => {
    const one = work[kind]
    return one === undefined ? [] : [{ kind, state: one.state, problem: one.problem ?? null }]
  })

/** A recording in the form of v2, with the additional fields of the settings screens. */
export const managedRecordings = Effect.gen(function* () {
  const config = yield* ServiceConfig
  const { mediaAccess } = yield* SharingSettings
  const accessOf = yield* mediaAccess
  return (owned: OwnedRecording): settings.Recording => {
    const { browser, folderId, os, redactions, transcript, video } = owned.recording
    const chapters = chaptersOf(owned.recording)
    return {
      ...wireRecording(owned, config),
      title_source: textSourceOf(owned.recording, "title"),
      summary_source: textSourceOf(owned.recording, "summary"),
      ...(chapters.length > 0 && {
        chapters: chapters.map(({ startSeconds, title }) => ({ start_seconds: startSeconds, title }))
      }),
      folder_id: folderId,
      transcript_status: shownTranscript(transcript).status,
      sharing: sharingOf(owned.recording),
      media_access: accessOf(owned.recording),
      video: {
        original: wireFile(video.original),
        processed: wireFile(video.processed),
        edited: wireFile(video.edited)
      },
      trim: wireTrim(video.trim),
      media_work: wireWork(owned.recording.work),
      browser,
      os,
      ...(redactions !== undefined && { redactions })
    }
  }
})

/** A recording for its caller, as in lists. */
export const listedRecordings = Effect.fnUntraced(function* (caller: Caller, page: ReadonlyArray<OwnedRecording>) {
  const wire = yield* managedRecordings
  const { seen } = yield* SeenRecordings
  const isSeen = yield* seen(
    caller,
    page.map(({ recording }) => recording)
  )
  return (owned: OwnedRecording): settings.Recording => ({ ...wire(owned), is_seen: isSeen(owned.recording) })
})
