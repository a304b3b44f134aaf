import { allowsOrigin } from "@tapedeck/domain/capture"
import type { CaptureApi } from "./CaptureApi.ts"
import type { Clock } from "./clock.ts"
import { type FromPage, isAbout, pingMs, type ToPage } from "./messages.ts"
import { metronome } from "./metronome.ts"
import type { SiteDetails, SiteView } from "./PageApi.ts"
import type { Session } from "./Session.ts"
import { cut, storable } from "./text.ts"

/** Time in which a page must redeem a code before it gets another one, in milliseconds. */
const codeMs = 5_000

const maxText = 255

const stopped: Clock = { phase: "stopped", at: 0, elapsed: 0, startedAt: 0 }

interface Options {
  readonly api: CaptureApi
  readonly key: string
  readonly site: SiteView
  /** Window of the page that opened this one. It stays the same when that page navigates. */
  readonly page: Window
}

/**
 * The side of the recorder for `capture.js`. It pings the window that opened it, and sends each page of the site that answers a code, with
 * which the page adds its log to the capture. Pages of other origins get pings only.
 */
export class PagePairing {
  /** Details of the recording from the page. */
  details: SiteDetails = {}
  /** True if pages may log, by the person's choice. */
  isLogging = true
  private session: Session | null = null
  private readonly options: Options
  private readonly codes = new Map<string, number>()
  private streams = 0
  private readonly answered: Promise<boolean>
  private answer: (isThere: boolean) => void = () => {}
  private readonly end: () => void

  constructor(options: Options) {
    this.options = options
    this.answered = new Promise((resolve) => {
      this.answer = resolve
    })
    addEventListener("message", this.receive)
    const ping: ToPage = { tapedeck: "ping", key: options.key }
    const beat = () => options.page.postMessage(ping, "*")
    this.end = metronome(pingMs, beat)
    beat()
  }

  /** Resolves with whether a page of the site answers within this time. */
  isThere(withinMs: number): Promise<boolean> {
    return Promise.race([this.answered, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), withinMs))])
  }

  /** Sets the capture to which pages add their log; null for none. */
  attach(session: Session | null) {
    this.session = session
  }

  close() {
    this.end()
    removeEventListener("message", this.receive)
  }

  private readonly receive = ({ data, origin, source }: MessageEvent) => {
    const { key, page, site } = this.options
    if (source !== page || !allowsOrigin(site.origins, origin) || !isAbout(data, key)) return
    if (data.tapedeck !== "here") return
    const { page: name, details, wantsCode } = data as FromPage
    if (this.session === null) this.details = detailsOf(details)
    this.answer(true)
    const clock = this.session?.clock ?? stopped
    this.send({ tapedeck: "clock", key, clock }, origin)
    if (clock.phase !== "stopped" && wantsCode && this.isLogging) void this.pair(String(name), origin)
  }

  private async pair(name: string, origin: string) {
    const { api, key } = this.options
    const { session } = this
    const at = performance.now()
    if (session === null || at - (this.codes.get(name) ?? -codeMs) < codeMs) return
    this.codes.set(name, at)
    const code = await api.pairingCode(session.capture.begun).catch(() => undefined)
    if (code === undefined) return
    this.streams += 1
    const stream = this.streams === 1 ? "main" : `page-${this.streams}`
    const email = this.details.customer?.email ?? null
    this.send({ tapedeck: "pair", key, page: name, code, stream, clock: session.clock, email }, origin)
  }

  /** Sends a message to the page. If the page has navigated to another origin, the browser drops it. */
  private send(message: ToPage, origin: string) {
    this.options.page.postMessage(message, origin)
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? storable(cut(value, maxText)) : undefined

const emailForm = /^[^\s@]+@[^\s@]+$/

/** Returns the details of a page without those that the server would refuse, so that an invalid detail does not prevent a recording. */
const detailsOf = (given: unknown): SiteDetails => {
  const { customer, ticket_id, title } = (given ?? {}) as Record<string, unknown>
  const email = textOf((customer as Record<string, unknown> | null | undefined)?.email)
  const ticket = textOf(ticket_id)
  const name = textOf(title)
  return {
    ...(name !== undefined && { title: name }),
    ...(ticket !== undefined && { ticket_id: ticket }),
    ...(email !== undefined && emailForm.test(email) && { customer: { email } })
  }
}
