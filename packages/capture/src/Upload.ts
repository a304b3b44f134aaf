import { type TusOffset, type TusRequests, tusRequests } from "@tapedeck/client/tus"
import type { CaptureApi } from "./CaptureApi.ts"
import { CaptureError, UnavailableError } from "./PageApi.ts"
import { type Spool, SpoolError, type SpooledPart, sizeOf } from "./Spool.ts"

/** Maximum size of a request while recording, in bytes. It fits a slow connection within the time limit of a request. */
const requestBytes = 4 * 1024 * 1024

/** Delays after consecutive failures, in milliseconds. The last one repeats. */
const waitsMs = [500, 1_000, 2_000, 5_000, 10_000, 30_000]

const checked = (offset: TusOffset): number => {
  if (offset === undefined) throw new CaptureError(200, "the server named no offset")
  return offset
}

/**
 * Uploads a part by tus 1.0 during the recording: it sends the data in the spool, and declares the length when the part has ended. After a
 * failure, it requests the server's offset, and continues there.
 */
export class Upload {
  private readonly requests: TusRequests
  private readonly spool: Spool
  private readonly videoUrl: string
  private part: SpooledPart
  private path: string | undefined
  private offset: number | null = null
  private failures = 0
  private wake: (() => void) | null = null
  private isCancelled = false
  private readonly onChange: (sentBytes: number, isConnected: boolean) => void
  /** Resolves when the server has the whole part. Rejects if the server refuses it. */
  readonly ended: Promise<void>

  constructor(options: {
    readonly api: CaptureApi
    readonly spool: Spool
    readonly videoUrl: string
    readonly token: string
    readonly part: SpooledPart
    readonly onChange: (sentBytes: number, isConnected: boolean) => void
  }) {
    const { api, token } = options
    this.requests = tusRequests(async (method, path, { body, headers }) => {
      const all = { ...headers, authorization: `Capture ${token}` }
      const init = { headers: all, ...(body !== undefined && { body: body as BodyInit }) }
      return (await api.request(method, path, init)).headers
    })
    this.spool = options.spool
    this.videoUrl = options.videoUrl
    this.part = options.part
    this.onChange = options.onChange
    this.ended = this.run()
  }

  /** Updates the part, which has more chunks or has ended. */
  update(part: SpooledPart) {
    this.part = part
    this.wake?.()
  }

  /** Retries at once, because the network is back. */
  retryNow() {
    this.failures = 0
    this.wake?.()
  }

  /** Tells the server that the page is still open. */
  async giveSign(): Promise<void> {
    if (this.path !== undefined) await this.serverOffset()
  }

  cancel() {
    this.isCancelled = true
    this.wake?.()
  }

  private async run(): Promise<void> {
    const online = () => this.retryNow()
    globalThis.addEventListener?.("online", online)
    try {
      while (!this.isCancelled) {
        try {
          if (await this.step()) return
          this.failures = 0
        } catch (error) {
          if (error instanceof CaptureError && error.status !== 409) throw error
          // A full disk is readable again once there is room.
          const passes = [CaptureError, SpoolError, UnavailableError].some((type) => error instanceof type)
          if (!passes) throw error
          this.onChange(this.offset ?? 0, !(error instanceof UnavailableError))
          this.offset = null
          const wait = waitsMs[Math.min(this.failures, waitsMs.length - 1)]!
          this.failures += 1
          const afterMs = error instanceof UnavailableError ? error.afterMs : undefined
          await this.sleep(afterMs ?? wait * (0.75 + Math.random() / 2))
        }
      }
    } finally {
      globalThis.removeEventListener?.("online", online)
    }
  }

  /** Sends one request. Resolves with true when everything is sent. */
  private async step(): Promise<boolean> {
    this.path ??= (await this.spool.upload(this.part)) ?? (await this.create())
    if (this.offset === null) this.offset = await this.serverOffset()
    const { isEnded } = this.part
    const total = sizeOf(this.part)
    const left = total - this.offset
    if (left <= 0 && !isEnded) {
      await this.sleep(null)
      return false
    }
    const body = left > 0 ? await this.spool.read(this.part, this.offset, requestBytes) : new Blob([])
    const isLast = isEnded && this.offset + body.size === total
    this.offset = checked(await this.requests.append(this.path, this.offset, body, isLast ? total : null))
    this.onChange(this.offset, true)
    return isLast
  }

  private async create(): Promise<string> {
    const metadata = { filetype: this.part.mimeType, part: String(this.part.part) }
    const { location, offset = 0 } = await this.requests.create(this.videoUrl, metadata, null)
    if (location === null) throw new CaptureError(201, "the server named no upload")
    this.offset = offset
    // A browser without storage space stores no path. The server knows the part when it is started again.
    await this.spool.saveUpload(this.part, location).catch(() => undefined)
    return location
  }

  private async serverOffset(): Promise<number> {
    return checked(await this.requests.offset(this.path!))
  }

  /** Waits for `ms` milliseconds, or for `wake`. With null, waits for `wake` only. */
  private sleep(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(() => this.wake?.(), ms)
      this.wake = () => {
        clearTimeout(timer)
        this.wake = null
        resolve()
      }
      if (this.isCancelled) this.wake()
    })
  }
}
