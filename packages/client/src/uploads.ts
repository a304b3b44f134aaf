import { ConflictError, ConnectionError, TapedeckError } from "./errors.ts"
import type { RecordingsResource } from "./generated/settings.gen.ts"
import type { Recording } from "./generated/settings.types.gen.ts"
import { path } from "./Resource.ts"
import type { Transport } from "./Transport.ts"
import { type SendTus, type TusOffset, type TusRequests, tusRequests } from "./tus.ts"

/** A file whose parts can be read again. `Blob` and `File` are one; in Node, `await openAsBlob(path)` of `node:fs` is. */
export type UploadSource = Blob | Uint8Array

/** Where an upload stands. It can be kept as JSON, and given to `uploads.resume` after a restart. */
export interface UploadState {
  readonly recording_uuid: string
  /** Path of the upload, below `baseUrl`. */
  readonly location: string
  readonly size_bytes: number
}

export interface UploadOptions {
  /** Media type of the file. Default: that of the `Blob`, else `application/octet-stream`. */
  readonly contentType?: string | undefined
  /** Bytes a request: 8 MiB. What a broken connection has not acknowledged is sent again. */
  readonly chunkSizeBytes?: number | undefined
  /** Called with each acknowledgement. */
  readonly onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
  /** Ends the upload; what was acknowledged stays on the service until it expires. */
  readonly signal?: AbortSignal | undefined
}

const defaultChunkSizeBytes = 8 * 1024 * 1024
/** How often one part is tried before the upload fails. */
const maxTries = 6

const sizeOf = (source: UploadSource) => (source instanceof Blob ? source.size : source.length)

/** Sends requests of uploads once: an upload itself repeats what failed. */
const sendBy =
  (transport: Transport, signal?: AbortSignal): SendTus =>
  async (method, path, { body, headers }) => {
    const call = { method, path, ...(body !== undefined && { body }) }
    const options = { headers, maxRetries: 0, ...(signal && method !== "DELETE" && { signal }) }
    return (await transport.send(call, options, async () => undefined)).response.headers
  }

/** A running upload. Await `done` for the recording. */
export class ResumableUpload {
  /** The recording, once all bytes are there. */
  readonly done: Promise<Recording>
  readonly state: UploadState
  #sentBytes = 0
  #paused: Promise<void> | undefined
  #continue: (() => void) | undefined
  readonly #stop = new AbortController()
  readonly #transport: Transport
  readonly #requests: TusRequests
  readonly #options: UploadOptions

  /** @internal Made by `uploads.start` and `uploads.resume`. */
  constructor(
    transport: Transport,
    recordings: RecordingsResource,
    state: UploadState,
    source: UploadSource,
    options: UploadOptions
  ) {
    this.#transport = transport
    this.#requests = tusRequests(sendBy(transport, this.#stop.signal))
    this.#options = options
    this.state = state
    const onAbort = () => this.#end(options.signal?.reason)
    options.signal?.addEventListener("abort", onAbort, { once: true })
    if (options.signal?.aborted) onAbort()
    this.done = this.#send(source)
      .then(() => recordings.get(state.recording_uuid))
      .finally(() => options.signal?.removeEventListener("abort", onAbort))
    // A caller that looks at `done` later is still told.
    this.done.catch(() => {})
  }

  /** How many bytes the service has acknowledged. */
  get sentBytes(): number {
    return this.#sentBytes
  }

  get isPaused(): boolean {
    return this.#paused !== undefined
  }

  /** Sends no further part until `resume`. The part that is being sent ends first. */
  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#continue = resolve
    })
  }

  resume(): void {
    this.#continue?.()
    this.#paused = undefined
  }

  /** Ends the upload and removes what was sent from the service. `done` is rejected. */
  async abort(): Promise<void> {
    this.#end(new DOMException("The upload was aborted", "AbortError"))
    await this.#requests.remove(this.state.location).catch((error: unknown) => {
      if (!(error instanceof TapedeckError)) throw error
    })
  }

  #end(reason: unknown): void {
    this.#stop.abort(reason)
    this.resume()
  }

  async #send(source: UploadSource): Promise<void> {
    const { chunkSizeBytes = defaultChunkSizeBytes, onProgress } = this.#options
    const { location, size_bytes: sizeBytes } = this.state
    let tries = 0
    let isKnown = false
    while (!isKnown || this.#sentBytes < sizeBytes) {
      await this.#paused
      this.#stop.signal.throwIfAborted()
      try {
        if (!isKnown) this.#sentBytes = this.#checked(await this.#requests.offset(location))
        isKnown = true
        if (this.#sentBytes < sizeBytes) {
          const part = source.slice(this.#sentBytes, Math.min(this.#sentBytes + chunkSizeBytes, sizeBytes))
          const offset = this.#checked(await this.#requests.append(location, this.#sentBytes, part))
          if (offset <= this.#sentBytes) throw new TapedeckError("The service answered without a further Upload-Offset")
          this.#sentBytes = offset
        }
        tries = 0
        onProgress?.(this.#sentBytes, sizeBytes)
      } catch (error) {
        tries += 1
        const isPassing =
          error instanceof ConnectionError ||
          error instanceof ConflictError ||
          (error instanceof TapedeckError && [423, 429, 502, 503, 504].includes(error.status ?? 0))
        if (!isPassing || tries >= maxTries) throw error
        isKnown = false
        await this.#transport.waitBeforeRetry(tries, error, this.#stop.signal)
      }
    }
  }

  #checked(offset: TusOffset): number {
    if (offset !== undefined && offset <= this.state.size_bytes) return offset
    throw new TapedeckError("The service answered without a valid Upload-Offset")
  }
}

/** Resumable uploads (tus 1.0) of videos. */
export class ResumableUploads {
  readonly #transport: Transport
  readonly #recordings: RecordingsResource

  constructor(transport: Transport, recordings: RecordingsResource) {
    this.#transport = transport
    this.#recordings = recordings
  }

  /** Begins the upload of a recording's video, and goes on in the background. */
  async start(recordingUuid: string, source: UploadSource, options: UploadOptions = {}): Promise<ResumableUpload> {
    const sizeBytes = sizeOf(source)
    const type =
      options.contentType ?? (source instanceof Blob && source.type !== "" ? source.type : "application/octet-stream")
    const requests = tusRequests(sendBy(this.#transport, options.signal))
    const at = path`/api/settings/recordings/${recordingUuid}/uploads`
    const created = await requests.create(at, { filetype: type }, sizeBytes)
    const location = this.#transport.pathOf(created.location)
    return this.resume({ recording_uuid: recordingUuid, location, size_bytes: sizeBytes }, source, options)
  }

  /** Goes on with an upload by its `state`: the service says how much of `source` it has. */
  async resume(state: UploadState, source: UploadSource, options: UploadOptions = {}): Promise<ResumableUpload> {
    const sizeBytes = sizeOf(source)
    if (sizeBytes !== state.size_bytes) {
      throw new RangeError(`The file has ${sizeBytes} bytes, but the upload is of one with ${state.size_bytes}`)
    }
    return new ResumableUpload(this.#transport, this.#recordings, state, source, options)
  }
}
