import type { CaptureApi, Finish, LinkView } from "./CaptureApi.ts"
import { type Clock, now } from "./clock.ts"
import { beginSpooled, type Entrance } from "./entrance.ts"
import { headerOf, LogStream } from "./LogStream.ts"
import { audioBitsPerSecond, chunkMs, formatOf, keyFrameMs, type OpenSources, videoBitsPerSecond } from "./media.ts"
import { isOpenElsewhere, markOpen } from "./openTabs.ts"
import { CaptureError } from "./PageApi.ts"
import { type Spool, type SpooledCapture, type SpooledPart, sizeOf } from "./Spool.ts"
import { Upload } from "./Upload.ts"
import { videoTypeOfFile } from "./videoFile.ts"

/**
 * Problem of a capture. `revoked`: the server accepts no more. `storage_full`: the browser is out of storage space, so recording stopped.
 * `too_large`: the size limit of the server is reached. `recorder`: the browser's recorder failed. Earlier recorded data is kept.
 */
export type Problem = "revoked" | "storage_full" | "too_large" | "recorder"

/** State of a capture, for display. */
export interface SessionState {
  /** Phase of the capture. `stopped`: recorded, for review. `sending`: finished by the person, with bytes left to send. */
  readonly phase: "ready" | "recording" | "paused" | "stopped" | "sending" | "sent" | "discarded"
  /** Recorded time without pauses, in milliseconds. */
  readonly elapsedMs: number
  readonly maxMs: number
  readonly spooledBytes: number
  readonly sentBytes: number
  /** True while the server responds. */
  readonly isConnected: boolean
  readonly isMuted: boolean
  readonly problem: Problem | null
}

/** Interval of requests that keep the capture open, in milliseconds. The server ends a capture after 10 minutes without a request. */
const signMs = 120_000

/** Size of the chunks of a file in the spool, in bytes. */
const fileChunkBytes = 4 * 1024 * 1024

interface Options {
  readonly api: CaptureApi
  readonly spool: Spool
  readonly onChange: (state: SessionState) => void
}

/**
 * A capture, from its start to `sent`. Each second is written to the spool, and sent from there to the server during the recording. A session
 * that is resumed after a crash continues with the next part.
 */
export class Session {
  private spooled: SpooledCapture
  private readonly api: CaptureApi
  private readonly spool: Spool
  private readonly onChange: (state: SessionState) => void
  private readonly uploads = new Map<number, Upload>()
  private readonly sent = new Map<number, number>()
  private parts: Array<SpooledPart>
  private recorder: MediaRecorder | null = null
  private log: LogStream | null = null
  private sources: OpenSources | null = null
  private recorded: Promise<void> = Promise.resolve()
  private writing: Promise<unknown> = Promise.resolve()
  private recordedSince: number | null = null
  private limit: ReturnType<typeof setTimeout> | undefined
  /** Timer of requests that keep the capture open, because nothing else is sent during pauses and review. */
  private readonly signs = setInterval(() => this.giveSign(), signMs)
  private state: SessionState

  private constructor({ api, onChange, spool }: Options, capture: SpooledCapture, parts: Array<SpooledPart>) {
    this.api = api
    this.spool = spool
    this.onChange = onChange
    this.spooled = capture
    this.parts = parts
    markOpen(capture.id)
    const elapsedMs = parts.reduce((sum, { durationMs }) => sum + durationMs, 0)
    this.state = {
      phase: parts.length === 0 ? "ready" : "stopped",
      elapsedMs,
      maxMs: capture.begun.max_duration_seconds * 1_000,
      spooledBytes: parts.reduce((sum, part) => sum + sizeOf(part), 0),
      sentBytes: 0,
      isConnected: true,
      isMuted: false,
      problem: null
    }
  }

  /** Starts a capture. */
  static async begin(options: Options & { readonly entrance: Entrance; readonly link: LinkView }): Promise<Session> {
    const capture = await beginSpooled(options.spool, options.entrance, options.link)
    return new Session(options, capture, [])
  }

  /** Returns the unfinished captures of a link or site that this browser started, except those that are open in another tab. */
  static async unfinished(spool: Spool, { origin }: Entrance): Promise<ReadonlyArray<SpooledCapture>> {
    const captures = await spool.captures(origin)
    const areElsewhere = await Promise.all(captures.map(({ id }) => isOpenElsewhere(id)))
    return captures.filter((_, index) => areElsewhere[index] === false)
  }

  /** Resumes a capture, and sends the data that the server does not have. */
  static async resume(options: Options, capture: SpooledCapture): Promise<Session> {
    const parts = await options.spool.parts(capture.id)
    const ended = parts.map((part) => ({ ...part, isEnded: true }))
    const session = new Session(options, capture, ended)
    for (const part of ended) session.send(part)
    return session
  }

  get capture(): SpooledCapture {
    return this.spooled
  }

  /** Present time of the recording, for other writers of the log. */
  get clock(): Clock {
    const { phase } = this.state
    return {
      phase: phase === "recording" || phase === "paused" ? phase : "stopped",
      at: now(),
      elapsed: this.elapsed(),
      startedAt: this.capture.startedAt
    }
  }

  get current(): SessionState {
    return { ...this.state, elapsedMs: this.elapsed() }
  }

  /** Starts the recorder on open sources, with a new part. */
  start(sources: OpenSources) {
    const mimeType = formatOf({ hasSound: sources.stream.getAudioTracks().length > 0 })
    const [video] = sources.stream.getVideoTracks()
    if (mimeType === null || video === undefined) throw new Error("this browser cannot record")
    const { height = 720, width = 1280 } = video.getSettings()
    this.sources = sources
    if (this.parts.length === 0) {
      this.spooled = { ...this.spooled, startedAt: Date.now() }
      this.queue(() => this.spool.addCapture(this.spooled))
    }
    let part: SpooledPart = {
      captureId: this.capture.id,
      part: this.parts.length,
      mimeType,
      sizes: [],
      durationMs: 0,
      isEnded: false
    }
    const index = this.parts.push(part) - 1
    const before = this.state.elapsedMs
    const save = (change: Partial<SpooledPart>) => {
      part = { ...part, ...change }
      this.parts[index] = part
      return part
    }
    const recorder = new MediaRecorder(sources.stream, {
      mimeType,
      videoBitsPerSecond: videoBitsPerSecond(width, height),
      audioBitsPerSecond,
      ...({ videoKeyFrameIntervalDuration: keyFrameMs } as object)
    })
    this.recorder = recorder
    recorder.ondataavailable = ({ data }) => {
      if (data.size === 0) return
      this.queue(async () => {
        const bytes = await data.arrayBuffer()
        // Chunks after a missing one cannot be played.
        if (this.state.problem === "storage_full") return
        const next = { ...part, sizes: [...part.sizes, bytes.byteLength], durationMs: this.elapsed() - before }
        await this.spool.addChunk(next, bytes)
        save(next)
        this.change({ spooledBytes: this.state.spooledBytes + bytes.byteLength })
        this.send(part)
      })
    }
    this.recorded = new Promise((resolve) => {
      recorder.onstop = () => {
        this.queue(() => this.spool.savePart(save({ isEnded: true })))
        this.queue(async () => {
          this.send(part)
          this.change({ phase: "stopped" })
        })
        resolve()
      }
    })
    recorder.onerror = () => {
      this.change({ problem: "recorder" })
      this.stop()
    }
    sources.onEnded = () => this.stop()
    recorder.start(chunkMs)
    this.resumeClock()
    this.change({ phase: "recording", problem: null })
  }

  /**
   * Adds a file as a part, instead of a recording, for phones. The server refuses a file that is not a video, so check it with
   * `videoTypeOfFile` before the session starts.
   */
  async addFile(file: File): Promise<void> {
    let part: SpooledPart = {
      captureId: this.capture.id,
      part: this.parts.length,
      mimeType: (await videoTypeOfFile(file)) ?? (file.type || "video/mp4"),
      sizes: [],
      durationMs: 0,
      isEnded: false
    }
    const index = this.parts.push(part) - 1
    for (let at = 0; at < file.size; at += fileChunkBytes) {
      const bytes = await file.slice(at, at + fileChunkBytes).arrayBuffer()
      part = { ...part, sizes: [...part.sizes, bytes.byteLength] }
      await this.spool.addChunk(part, bytes)
      this.change({ spooledBytes: this.state.spooledBytes + bytes.byteLength })
    }
    part = { ...part, isEnded: true }
    await this.spool.savePart(part)
    this.parts[index] = part
    this.send(part)
    this.change({ phase: "stopped" })
  }

  pause() {
    if (this.recorder?.state !== "recording") return
    this.recorder.pause()
    this.pauseClock()
    this.change({ phase: "paused" })
  }

  unpause() {
    if (this.recorder?.state !== "paused") return
    this.recorder.resume()
    this.resumeClock()
    this.change({ phase: "recording" })
  }

  setMuted(isMuted: boolean) {
    this.sources?.setMuted(isMuted)
    this.change({ isMuted })
  }

  /** Adds a note of the person to the log of the capture, at the present time. */
  mark(text: string) {
    this.log ??= new LogStream({
      api: this.api,
      target: this.capture.begun,
      // A session that was opened again after a crash counts from 0 again.
      name: `recorder-${this.parts.length}`,
      header: headerOf(this.capture.startedAt)
    })
    this.log.add({ t: Math.round(this.elapsed()), kind: "mark", text })
  }

  /** Stops the recorder and closes the sources. The phase becomes `stopped` when the last second is in the spool. */
  stop() {
    if (this.recorder === null || this.recorder.state === "inactive") return
    this.pauseClock()
    this.recorder.stop()
    this.sources?.close()
    this.sources = null
  }

  /** Resolves when the recorder has stopped, and the spool has all recorded data. */
  async settled(): Promise<void> {
    await this.recorded
    await this.writing
  }

  /** Returns the recorded videos, one for each part, for review. */
  videos(): Promise<ReadonlyArray<Blob>> {
    return Promise.all(this.parts.filter(({ sizes }) => sizes.length > 0).map((part) => this.spool.whole(part)))
  }

  /**
   * Sends the remaining data, and finishes the capture. Resolves when the server has everything. Fails with status 422 if the server
   * refuses a field; the session can be finished with other fields then.
   */
  async finish(fields: Finish): Promise<void> {
    this.stop()
    try {
      await this.settled()
      this.change({ phase: "sending" })
      await Promise.all([...this.uploads.values()].map(({ ended }) => ended))
      await this.log?.flush()
      await this.untilTaken(() => this.api.finish(this.capture.begun, fields))
      await this.endAsSent()
    } catch (error) {
      if (error instanceof CaptureError && error.status === 422) this.change({ phase: "stopped" })
      else if (await this.refuse(error)) return
      throw error
    }
  }

  /** Deletes the recording, in the browser and on the server. */
  async discard(): Promise<void> {
    this.stop()
    await this.settled()
    for (const upload of this.uploads.values()) upload.cancel()
    await this.api.discard(this.capture.begun).catch((error: unknown) => {
      // A missing capture needs no removal. A capture that cannot be reached is removed by the server later.
      if (error instanceof CaptureError && ![401, 404, 409, 410].includes(error.status)) throw error
    })
    await this.spool.remove(this.capture.id)
    this.change({ phase: "discarded" })
  }

  private async endAsSent() {
    // Files that cannot be removed now are removed when the page is opened again.
    await this.spool.remove(this.capture.id).catch(() => undefined)
    this.change({ phase: "sent" })
  }

  private giveSign() {
    const [upload] = this.uploads.values()
    // The next request reports a refusal by the server.
    upload?.giveSign().catch(() => {})
  }

  private async untilTaken<A>(request: () => Promise<A>): Promise<A> {
    for (let wait = 500; ; wait = Math.min(wait * 2, 30_000)) {
      try {
        return await request()
      } catch (error) {
        if (error instanceof CaptureError) throw error
        this.change({ isConnected: false })
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
  }

  private send(part: SpooledPart) {
    const known = this.uploads.get(part.part)
    if (known !== undefined) return known.update(part)
    if (part.sizes.length === 0) return
    const { capture_token: token, video_url: videoUrl } = this.capture.begun
    const upload = new Upload({
      ...{ api: this.api, spool: this.spool, part, token, videoUrl },
      onChange: (sentBytes, isConnected) => {
        this.sent.set(part.part, sentBytes)
        this.change({ sentBytes: [...this.sent.values()].reduce((sum, bytes) => sum + bytes, 0), isConnected })
      }
    })
    this.uploads.set(part.part, upload)
    upload.ended.catch((error: unknown) => this.refuse(error))
  }

  /** Handles a refusal of the server: stops recording, and keeps the recorded data in the spool. Resolves with true if the capture was sent before a crash. */
  private async refuse(error: unknown): Promise<boolean> {
    if (!(error instanceof CaptureError)) return false
    if (error.status === 401 && this.recorder === null && (await this.wasFinished())) {
      await this.endAsSent()
      return true
    }
    this.change({ problem: error.status === 413 ? "too_large" : "revoked" })
    this.stop()
    return false
  }

  /** Resolves with whether the person has sent a capture that accepts no more, because a crash can happen before the spool is emptied. */
  private async wasFinished(): Promise<boolean> {
    try {
      const { state } = await this.untilTaken(() => this.api.finish(this.capture.begun, {}))
      return state === "finishing" || state === "finished"
    } catch {
      return false
    }
  }

  /** Writes to the spool in order. A failed write stops the recording. */
  private queue(write: () => Promise<void>) {
    this.writing = this.writing.then(write).catch(() => {
      this.change({ problem: "storage_full" })
      this.stop()
    })
  }

  private elapsed(): number {
    return this.state.elapsedMs + (this.recordedSince === null ? 0 : performance.now() - this.recordedSince)
  }

  private resumeClock() {
    this.recordedSince = performance.now()
    this.limit = setTimeout(() => this.stop(), Math.max(0, this.state.maxMs - this.state.elapsedMs))
  }

  private pauseClock() {
    clearTimeout(this.limit)
    this.state = { ...this.state, elapsedMs: this.elapsed() }
    this.recordedSince = null
  }

  private change(change: Partial<SessionState>) {
    this.state = { ...this.state, ...change }
    const { phase, problem } = this.state
    if (phase === "sent" || phase === "discarded" || problem === "revoked") clearInterval(this.signs)
    this.onChange(this.current)
  }
}
