import { ConflictError, ConnectionError, TapedeckError } from "./errors.ts"
import type { RecordingsResource } from "./generated/settings.gen.ts"
import type { Recording } from "./generated/settings.types.gen.ts"
import { path } from "./Resource.ts"
import type { Transport } from "./Transport.ts"

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

const tus = { "tus-resumable": "1.0.0" }
const defaultChunkSizeBytes = 8 * 1024 * 1024
/** How often one part is tried before the upload fails. */
const maxTries = 6

const sizeOf = (source: UploadSource) => (source instanceof Blob ? source.size : source.length)

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
    await this.#request("DELETE", {}).catch((error: unknown) => {
      if (!(error instanceof TapedeckError)) throw error
    })
  }

  #end(reason: unknown): void {
    this.#stop.abort(reason)
    this.resume()
  }

  async #send(source: UploadSource): Promise<void> {
    const { chunkSizeBytes = defaultChunkSizeBytes, onProgress } = this.#options
    const { size_bytes: sizeBytes } = this.state
    let tries = 0
    let isKnown = false
    while (!isKnown || this.#sentBytes < sizeBytes) {
      await this.#paused
      this.#stop.signal.throwIfAborted()
      try {
        if (!isKnown) this.#sentBytes = await this.#offset("HEAD", {})
        isKnown = true
        if (this.#sentBytes < sizeBytes) {
          const part = source.slice(this.#sentBytes, Math.min(this.#sentBytes + chunkSizeBytes, sizeBytes))
          const headers = {
            "upload-offset": String(this.#sentBytes),
            "content-type": "application/offset+octet-stream"
          }
          const offset = await this.#offset("PATCH", headers, part)
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

  async #offset(method: string, headers: Record<string, string>, body?: UploadSource): Promise<number> {
    const offset = Number((await this.#request(method, headers, body)).get("upload-offset") ?? Number.NaN)
    if (Number.isSafeInteger(offset) && offset >= 0 && offset <= this.state.size_bytes) return offset
    throw new TapedeckError("The service answered without a valid Upload-Offset")
  }

  async #request(method: string, headers: Record<string, string>, body?: UploadSource): Promise<Headers> {
    const signal = method === "DELETE" ? undefined : this.#stop.signal
    const call = { method, path: this.state.location, ...(body !== undefined && { body }) }
    const options = { headers: { ...tus, ...headers }, maxRetries: 0, ...(signal && { signal }) }
    const { response } = await this.#transport.send(call, options, async () => undefined)
    return response.headers
  }
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

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
    const headers = { ...tus, "upload-length": String(sizeBytes), "upload-metadata": `filetype ${base64(type)}` }
    const { response } = await this.#transport.send(
      { method: "POST", path: path`/api/settings/recordings/${recordingUuid}/uploads` },
      { headers, maxRetries: 0, ...(options.signal && { signal: options.signal }) },
      async () => undefined
    )
    const location = this.#transport.pathOf(response.headers.get("location"))
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
