import { ConnectionError, TapedeckError, TimeoutError } from "./errors.ts"
import type { Clock } from "./options.ts"

/** The largest JSON or error body that is read. */
const maxBodyBytes = 64 * 1024 * 1024

interface Limits {
  readonly clock: Clock
  readonly timeoutMs: number
}

/** One attempt's time-out and the caller's signal, as one signal for `fetch`. */
export class Attempt {
  readonly #controller = new AbortController()
  readonly #limits: Limits
  readonly #caller: AbortSignal | undefined
  readonly #request: { readonly url: string } | undefined
  readonly #onAbort = () => this.#controller.abort(this.#caller?.reason)
  #timer: unknown
  #lastAt: number
  #isKept = false
  #isWaiting = false
  #timedOut: TimeoutError | undefined

  constructor(limits: Limits, caller: AbortSignal | undefined, request?: { readonly url: string }) {
    this.#limits = limits
    this.#caller = caller
    this.#request = request
    this.#lastAt = limits.clock.now()
    if (caller?.aborted) this.#onAbort()
    else caller?.addEventListener("abort", this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something came: the time-out starts again. */
  touch(): void {
    this.#lastAt = this.#limits.clock.now()
  }

  /** Runs a step of the attempt under its time-out; what fails is the caller's abort, a time-out or the connection. */
  async run<Data>(step: () => Promise<Data>): Promise<Data> {
    this.#caller?.throwIfAborted()
    this.touch()
    this.#isWaiting = true
    this.#timer ??= this.#arm(this.#limits.timeoutMs)
    try {
      return await step()
    } catch (error) {
      throw this.#failure(error)
    } finally {
      this.#isWaiting = false
    }
  }

  /** Returns the error that an error of `fetch`, or of a body's reader, stands for. */
  #failure(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason
    if (this.#timedOut !== undefined) return this.#timedOut
    if (error instanceof TapedeckError) return error
    // Node has the reason in the cause of "fetch failed": as a code if several addresses failed.
    const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string }
    const reason = cause?.message || cause?.code || message
    // The query may hold personal data.
    return new ConnectionError(`Connection to ${this.#request?.url.split("?")[0]} failed: ${reason}`, { cause: error })
  }

  /** The body as text. It is decoded as a whole: piece by piece takes Node several times as long. */
  async text(response: Response): Promise<string> {
    if (response.body === null || response.body === undefined) return response.text()
    const pieces: Array<Uint8Array> = []
    let sizeBytes = 0
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      this.touch()
      sizeBytes += value.length
      if (sizeBytes > maxBodyBytes) {
        this.#controller.abort()
        const { headers, status } = response
        throw new TapedeckError("The response is larger than 64 MiB", { status, headers })
      }
      pieces.push(value)
    }
    return decoder.decode(pieces.length === 1 ? pieces[0] : joined(pieces, sizeBytes))
  }

  /** Waits between two attempts, or until the caller aborts. */
  async wait(ms: number): Promise<void> {
    this.#caller?.throwIfAborted()
    await new Promise<void>((resolve) => {
      this.#timer = this.#limits.clock.setTimeout(resolve, ms)
      this.signal.addEventListener("abort", () => resolve(), { once: true })
    })
    this.close()
    this.#caller?.throwIfAborted()
  }

  /** The body is still being read: `close` is for its reader to call, with `true`. */
  keep(): void {
    this.#isKept = true
  }

  close(isRead = false): void {
    if (this.#isKept && !isRead) return
    this.#limits.clock.clearTimeout(this.#timer)
    this.#caller?.removeEventListener("abort", this.#onAbort)
  }

  #arm(ms: number): unknown {
    const timer = this.#limits.clock.setTimeout(() => {
      // A reader that takes its time is not the service's fault.
      const leftMs = this.#isWaiting
        ? this.#lastAt + this.#limits.timeoutMs - this.#limits.clock.now()
        : this.#limits.timeoutMs
      if (leftMs > 0) {
        this.#timer = this.#arm(leftMs)
        return
      }
      this.#timedOut = new TimeoutError(`Nothing came from the service for ${this.#limits.timeoutMs} ms`)
      this.#controller.abort(this.#timedOut)
    }, ms)
    // In Node the connection keeps the process alive, and nothing else should.
    ;(timer as { readonly unref?: () => void } | undefined)?.unref?.()
    return timer
  }
}

const decoder = new TextDecoder()

const joined = (pieces: ReadonlyArray<Uint8Array>, sizeBytes: number): Uint8Array => {
  const whole = new Uint8Array(sizeBytes)
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}
