import { videoTypeOfFile } from "@tapedeck/capture"
import { NotFoundError, type ResumableUpload } from "@tapedeck/client"
import { useSyncExternalStore } from "react"
import { noteError, queries, tapedeck } from "../api/client.ts"
import { messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { forgetUpload, rememberUpload, stateOf } from "./unfinishedUploads.ts"

/** An upload of this tab. It continues while other screens are open. */
export interface Upload {
  readonly sentBytes: number
  readonly sizeBytes: number
  readonly isPaused: boolean
  readonly problem: string | null
  readonly control: ResumableUpload | null
  readonly file: File
}

let uploads: ReadonlyMap<string, Upload> = new Map()
const listeners = new Set<() => void>()

const change = (uuid: string, upload: Upload | null) => {
  const next = new Map(uploads)
  if (upload === null) next.delete(uuid)
  else next.set(uuid, upload)
  uploads = next
  for (const listener of listeners) listener()
}

const patch = (uuid: string, part: Partial<Upload>) => {
  const upload = uploads.get(uuid)
  if (upload !== undefined) change(uuid, { ...upload, ...part })
}

/** The reason to refuse a file before anything is sent; undefined for a video. */
export const fileProblem = async (file: File): Promise<string | undefined> =>
  (await videoTypeOfFile(file)) === undefined
    ? `${file.name} is not a video. Choose a video file, such as WebM, MP4 or QuickTime.`
    : undefined

/** The file's media type by its bytes: names and the browser's types may be wrong. */
const typeOf = async (file: File) => (await videoTypeOfFile(file)) as "video/mp4"

/** Sends a file in parts that survive a broken connection. */
const send = async (uuid: string, file: File): Promise<void> => {
  const contentType = await typeOf(file)
  const state = uploads.get(uuid)?.control?.state ?? stateOf(uuid, file)
  const options = {
    contentType,
    onProgress: (sentBytes: number) => patch(uuid, { sentBytes })
  }
  const upload =
    state === undefined
      ? await tapedeck.uploads.start(uuid, file, options)
      : await tapedeck.uploads.resume(state, file, options)
  rememberUpload(file, upload.state)
  patch(uuid, { control: upload })
  try {
    await upload.done
    forgetUpload(uuid)
  } catch (error) {
    if (state === undefined || !(error instanceof NotFoundError)) throw error
    // The upload has expired in the meantime.
    forgetUpload(uuid)
    patch(uuid, { control: null })
    await send(uuid, file)
  }
}

const start = async (uuid: string, file: File): Promise<void> => {
  const wrong = await fileProblem(file)
  if (wrong !== undefined) return failed(new Error(wrong))
  const control = uploads.get(uuid)?.control ?? null
  change(uuid, { sentBytes: 0, sizeBytes: file.size, isPaused: false, problem: null, control, file })
  try {
    await send(uuid, file)
    change(uuid, null)
    done("The video is uploaded.")
    await queries.invalidateQueries({ queryKey: ["recordings"] })
  } catch (error) {
    noteError(error)
    if (error instanceof DOMException && error.name === "AbortError") change(uuid, null)
    else patch(uuid, { problem: messageOf(error) })
  }
}

const pause = (uuid: string): void => {
  uploads.get(uuid)?.control?.pause()
  patch(uuid, { isPaused: true })
}

const resume = (uuid: string): void => {
  const upload = uploads.get(uuid)
  if (upload === undefined) return
  if (upload.problem !== null) void start(uuid, upload.file)
  else upload.control?.resume()
  patch(uuid, { isPaused: false })
}

const abort = (uuid: string): void => {
  void uploads.get(uuid)?.control?.abort().catch(noteError)
  forgetUpload(uuid)
  change(uuid, null)
}

export const useUploads = () => {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uploads
  )
  return { all, start, pause, resume, abort }
}
