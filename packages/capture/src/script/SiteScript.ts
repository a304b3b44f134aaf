import { keepsBody } from "@tapedeck/domain/capture"
import { type Clock, now } from "../clock.ts"
import { builtIns, clearInterval, open, page, parse, quietly, setInterval, stringify, URL } from "../intrinsics.ts"
import { LogRecorder } from "../log/LogRecorder.ts"
import { type FromPage, isAbout, silenceMs, type ToPage } from "../messages.ts"
import { CaptureError, PageApi, type SiteDetails, type SiteView } from "../PageApi.ts"
import { RecordButton } from "./button.ts"
import { type LogState, leaveState, sendLast, takeState } from "./handover.ts"
import { Mask } from "./mask.ts"
import { PageLog } from "./PageLog.ts"

/** The built file of the redactor, whose code runs when it gets the built-in names that it uses. */
interface RedactorFile {
  readonly load: (names: typeof builtIns) => typeof import("./redactor.ts")
}

const features = "popup,width=640,height=640"

interface Options {
  /** Address of the product, without a slash at its end. */
  readonly base: string
  readonly key: string
  /** Label of the button; null if the page has its own button. */
  readonly label: string | null
}

/** `capture.js` on a page: keeps the look-back, opens the recorder, and adds the page's log to the capture. */
export class SiteScript {
  readonly #options: Options
  readonly #api: PageApi
  readonly #origin: string
  readonly #page = crypto.randomUUID()
  readonly #mask = new Mask()
  readonly #recorder: LogRecorder
  #redaction: SiteView["redaction"] | null = null
  #button: RecordButton | null = null
  #details: SiteDetails = {}
  #window: Window | null = null
  #log: PageLog | null = null
  #isRefused = false
  #isPairing = false
  #pingedAt = 0
  /** Difference of this page's clock to the recorder's, in milliseconds, plus the time of the quickest message. */
  #ahead = Number.POSITIVE_INFINITY
  /** State for the return of this page, if it cannot use `sessionStorage`. */
  #left: LogState | null = null
  /** Time up to which a log has the events of this page. */
  #loggedUntil = 0
  #watch: ReturnType<typeof setInterval> | undefined
  /** Resolves when the site was loaded. */
  readonly #ready: Promise<void>

  constructor(options: Options) {
    this.#options = options
    this.#api = new PageApi(options.base, window.fetch)
    this.#origin = new URL(options.base).origin
    this.#recorder = new LogRecorder({
      isOwn: (url) => ["/api/capture/", "/capture"].some((path) => url.startsWith(options.base + path)),
      keepsBody: (url) => this.#redaction !== null && keepsBody(url, this.#redaction.body_urls),
      isMasked: (element) => this.#mask.covers(element)
    })
    addEventListener("message", this.#receive)
    addEventListener("pagehide", this.#leave)
    addEventListener("pageshow", this.#arrive)
    this.#ready = this.#load().catch(() => {})
    this.#arrive()
  }

  /** Opens the recorder in a new window. Call it in a click handler, because browsers block windows that open otherwise. */
  readonly record = (details: SiteDetails = {}): boolean => {
    this.#details = quietly(() => parse(stringify(details))) ?? {}
    if (this.#window === null || this.#window.closed) {
      this.#window = open(`${this.#options.base}/c/site#${this.#options.key}`, "_blank", features)
    } else this.#window.focus()
    return this.#window !== null
  }

  /** Removes the script's button, listeners and wrappers from the page. */
  readonly unload = () => {
    this.#stop()
    removeEventListener("message", this.#receive)
    removeEventListener("pagehide", this.#leave)
    removeEventListener("pageshow", this.#arrive)
    this.#recorder.unload()
    this.#button?.remove()
  }

  async #load() {
    const site = await this.#api.site(this.#options.key).catch((error: unknown) => {
      if (error instanceof CaptureError) this.unload()
      return null
    })
    if (site === null) return
    this.#redaction = site.redaction
    this.#mask.setSelectors(site.redaction.selectors)
    const { label } = this.#options
    if (label === null) return
    const show = () => {
      this.#button = new RecordButton(label, () => void this.record(this.#details))
      this.#button.setRecording(this.#watch !== undefined)
    }
    if (page().body === null) addEventListener("DOMContentLoaded", show, { once: true })
    else show()
  }

  readonly #receive = (event: MessageEvent) =>
    void quietly(() => {
      const { data, origin, source } = event
      if (origin !== this.#origin || !isAbout(data, this.#options.key)) return
      this.#pingedAt = now()
      const message = data as ToPage
      if (message.tapedeck === "clock") this.#setClock(this.#local(message.clock))
      else if (message.tapedeck === "pair" && message.page === this.#page) void this.#pair(message)
      else if (message.tapedeck === "ping") this.#answer(source as Window)
    })

  /** Converts a clock of the recorder to this page's clock. */
  #local(clock: Clock): Clock {
    this.#ahead = Math.min(this.#ahead, now() - clock.at)
    return { ...clock, at: clock.at + this.#ahead }
  }

  #answer(source: Window) {
    this.#window = source
    const wantsCode = this.#log === null && !this.#isPairing && !this.#isRefused && this.#redaction !== null
    const here: FromPage = {
      ...{ tapedeck: "here", key: this.#options.key, page: this.#page, wantsCode },
      details: this.#details
    }
    source.postMessage(here, this.#origin)
  }

  async #pair({ clock, code, email, stream }: Extract<ToPage, { readonly tapedeck: "pair" }>) {
    this.#isPairing = true
    try {
      const pairing = await this.#api.pair(code)
      await this.#begin({ pairing, stream, clock: this.#local(clock), email, seq: 0, unsent: "" })
    } catch (error) {
      // A code that was not redeemed is useless. The recorder provides another one.
      this.#isRefused = error instanceof CaptureError && error.status === 401
    }
    this.#isPairing = false
  }

  async #begin(state: LogState) {
    await this.#ready
    const redaction = this.#redaction
    if (redaction === null) return
    // Most visits record nothing, and do without it.
    const file: RedactorFile = await import(`${this.#options.base}/capture-redactor.js`)
    const redactor = file.load(builtIns).makeRedactor({ ...redaction, customerEmail: state.email })
    const log = new PageLog({ api: this.#api, redactor, state })
    this.#log = log
    for (const timed of this.#recorder.lookBack(this.#loggedUntil)) log.add(timed)
    this.#recorder.onEvent = (timed) => log.add(timed)
    this.#setClock(state.clock)
  }

  #setClock(clock: Clock) {
    if (clock.phase === "stopped") return this.#stop()
    if (this.#log?.isOpen === false) this.#isRefused = true
    this.#log?.setClock(clock)
    this.#mask.show(true)
    this.#button?.setRecording(true)
    this.#watch ??= setInterval(() => now() - this.#pingedAt > silenceMs && quietly(() => this.#stop()), 1_000)
  }

  #stop() {
    clearInterval(this.#watch)
    this.#watch = undefined
    this.#ahead = Number.POSITIVE_INFINITY
    if (this.#log !== null) this.#loggedUntil = now()
    this.#log = null
    this.#recorder.onEvent = null
    this.#mask.show(false)
    this.#button?.setRecording(false)
  }

  readonly #leave = () =>
    void quietly(() => {
      const state = this.#log?.leave()
      if (state === undefined) return
      this.#log = null
      this.#recorder.onEvent = null
      sendLast(this.#api, state)
      this.#left = quietly(() => leaveState(this.#options.key, state) ?? null) === null ? null : state
    })

  /** Continues with the state of the previous page. */
  readonly #arrive = () =>
    void quietly(() => {
      if (this.#log !== null || this.#isPairing) return
      const state = this.#left ?? takeState(this.#options.key)
      this.#left = null
      if (state === null) return
      this.#pingedAt = now()
      this.#isPairing = true
      this.#setClock(state.clock)
      void this.#begin(state)
        .catch(() => {})
        .finally(() => {
          this.#isPairing = false
        })
    })
}
