import {
  type CaptureApi,
  CaptureError,
  type Finish,
  type LinkView,
  type OpenSources,
  openSources,
  releaseUnanswered,
  Session,
  type SessionState,
  SourceError,
  type Sources,
  type Spool,
  SpoolError,
  type SpooledCapture,
  UnavailableError,
  videoTypeOfFile
} from "@tapedeck/capture"
import { button, clock, element } from "./dom.ts"
import type { Invitation } from "./invitations.ts"
import { copyLink, linkSection } from "./recordingLink.ts"
import {
  actions,
  type Content,
  problemText,
  recordingScreen,
  requestScreen,
  reviewScreen,
  status,
  write
} from "./screens.ts"
import type { Texts } from "./texts.ts"

const countdownSeconds = 3
const retryMs = 3_000

interface Options {
  readonly api: CaptureApi
  readonly container: HTMLElement
  readonly invitation: Invitation
  readonly openSpool: () => Promise<Spool>
  readonly texts: Texts
}

/** The page on which a customer records: one screen after another, from the request to the thanks. */
export class CapturePage {
  private readonly options: Options
  private readonly texts: Texts
  private spool!: Spool
  private link!: LinkView
  private session: Session | null = null
  private hasMicrophone = false
  private marks = 0
  /** Whether the link to an agent's recording was copied when it stopped. */
  private isLinkCopied: Promise<boolean> = Promise.resolve(false)
  private retry: ReturnType<typeof setTimeout> | undefined
  private onState: (state: SessionState) => void = () => {}
  /** Object URLs of the screen that is shown. */
  private urls: ReadonlyArray<string> = []

  constructor(options: Options) {
    this.options = options
    this.texts = options.texts
    document.documentElement.lang = options.texts.language
    addEventListener("beforeunload", (event) => {
      const phase = this.session?.current.phase
      if (phase === "recording" || phase === "paused" || phase === "sending") event.preventDefault()
    })
  }

  async open(): Promise<void> {
    const { invitation, openSpool } = this.options
    this.show(this.texts.loading, [])
    try {
      this.spool = await openSpool()
      // First what the browser has: for it the link may be used up, and the server away.
      for (const unfinished of await Session.unfinished(this.spool, invitation)) {
        const parts = await this.spool.parts(unfinished.id)
        if (parts.some(({ sizes }) => sizes.length > 0)) return this.showUnfinished(unfinished)
        // A crash before the first second: the link's use is given back.
        await (await Session.resume(this.sessionOptions, unfinished)).discard()
      }
      this.link = await invitation.view()
    } catch (error) {
      if (!(error instanceof CaptureError) || error.status !== 410) return this.showRefusal(error)
      if (await this.isElsewhere()) return this.showElsewhere()
      return this.releaseUnanswered(error)
    }
    this.showRequest()
  }

  /** The link may be used up by a capture of this tab that was not answered. */
  private async releaseUnanswered(usedUp: CaptureError): Promise<void> {
    const { api, invitation } = this.options
    try {
      if (await releaseUnanswered(api, this.spool, invitation)) {
        this.link = await invitation.view()
        return this.showRequest()
      }
    } catch (error) {
      const isOffline = error instanceof UnavailableError && error.status !== 429
      return this.showRefusal(isOffline ? error : usedUp)
    }
    if (await this.isElsewhere()) return this.showElsewhere()
    this.showRefusal(usedUp)
  }

  /** Whether another tab records by this link. */
  private async isElsewhere(): Promise<boolean> {
    return (await this.spool.captures(this.options.invitation.origin)).length > 0
  }

  /** Replaces the screen. The heading takes the focus, so that screen readers go on from there. */
  private show(title: string, content: Content): HTMLElement {
    clearTimeout(this.retry)
    for (const url of this.urls) URL.revokeObjectURL(url)
    this.urls = []
    this.onState = () => {}
    const heading = element("h1", { tabIndex: -1 }, title)
    this.options.container.replaceChildren(heading, ...content.filter((node) => node !== false))
    document.title = title
    heading.focus()
    return heading
  }

  private showRefusal(error: unknown) {
    const { texts } = this
    if (error instanceof CaptureError) {
      const known: Readonly<Record<number, string>> = {
        401: texts.noConsole,
        404: texts.unknownLink,
        410: texts.usedLink
      }
      const text = known[error.status] ?? texts.failed(error.message)
      return void this.show(texts.problemTitle, [element("p", {}, text)])
    }
    const isOffline = error instanceof UnavailableError
    if (isOffline && error.status === 429) return this.showRequest(texts.tooMany)
    const text = isOffline ? texts.offline : error instanceof SpoolError ? texts.noRoom : texts.failed(String(error))
    this.show(texts.problemTitle, [element("p", {}, text), button(texts.again, () => void this.open(), true)])
    if (isOffline) this.retry = setTimeout(() => void this.open(), retryMs)
  }

  private showElsewhere() {
    const { texts } = this
    const again = button(texts.again, () => void this.open(), true)
    this.show(texts.elsewhereTitle, [element("p", {}, texts.elsewhere), again])
  }

  private showUnfinished(capture: SpooledCapture) {
    const { texts } = this
    const when = new Date(capture.startedAt).toLocaleString()
    this.show(texts.unfinishedTitle, [
      element("p", {}, texts.unfinishedText(when)),
      actions(
        button(texts.review, () => void this.resume(capture, () => this.showReview()), true),
        button(texts.discard, () => void this.resume(capture, () => this.showDiscard()))
      )
    ])
  }

  private get pairing() {
    return this.options.invitation.pairing()
  }

  private get sessionOptions() {
    const onChange = (state: SessionState) => this.onState(state)
    return { api: this.options.api, spool: this.spool, onChange }
  }

  private async resume(capture: SpooledCapture, next: () => void) {
    this.link = capture.link
    try {
      this.session = await Session.resume(this.sessionOptions, capture)
    } catch (error) {
      return this.showRefusal(error)
    }
    this.pairing?.attach(this.session)
    next()
  }

  private async begin(): Promise<Session> {
    this.session ??= await Session.begin({
      ...this.sessionOptions,
      entrance: this.options.invitation,
      link: this.link
    })
    this.pairing?.attach(this.session)
    return this.session
  }

  private showRequest(problem?: string, chosen?: Sources) {
    const { link, pairing, texts } = this
    const content = requestScreen(link, texts, {
      problem,
      chosen,
      hasPage: pairing !== null,
      onChoose: (sources, isLogging) => {
        if (pairing !== null) pairing.isLogging = isLogging
        void this.openSources(sources)
      },
      onFile: (file) => void this.takeFile(file)
    })
    this.show(this.options.invitation.title(link, texts), content)
  }

  /** A file that is no video uses nothing of the link. */
  private async takeFile(file: File) {
    if ((await videoTypeOfFile(file)) === undefined) return this.showRequest(this.texts.noVideo(file.name))
    try {
      const session = await this.begin()
      await session.addFile(file)
    } catch (error) {
      return this.showRefusal(error)
    }
    await this.showReview()
  }

  private async openSources(chosen: Sources) {
    const { texts } = this
    const message = status()
    this.hasMicrophone = chosen.microphone
    this.show(texts.previewTitle, [message])
    try {
      const sources = await openSources(chosen, (source) => write(message, texts.permissions[source]))
      this.showPreview(sources)
    } catch (error) {
      if (!(error instanceof SourceError)) return this.showRequest(texts.failed(String(error)))
      const problem = texts.refused[error.reason](texts.sources[error.source])
      if (this.link.sources[error.source] === "required") return this.showRequest(problem, chosen)
      this.showRequest(`${problem} ${texts.withoutIt}`, { ...chosen, [error.source]: false })
    }
  }

  private showPreview(sources: OpenSources) {
    const { texts } = this
    const video = element("video", { muted: true, playsInline: true, attributes: { "aria-label": texts.preview } })
    video.srcObject = sources.stream
    void video.play().catch(() => {})
    const back = () => {
      sources.close()
      this.showRequest()
    }
    sources.onEnded = back
    const start = button(texts.start, () => void this.startRecording(sources), true)
    this.show(texts.previewTitle, [
      element("p", {}, texts.previewText),
      video,
      actions(start, button(texts.back, back))
    ])
  }

  /** Counts down while the server begins the capture. */
  private async startRecording(sources: OpenSources) {
    const { texts } = this
    const message = status()
    message.className = "countdown"
    this.show(texts.previewTitle, [message])
    const beginning = this.begin()
    beginning.catch(() => {})
    for (let left = countdownSeconds; left > 0; left -= 1) {
      write(message, texts.countdown(left))
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    try {
      const session = await beginning
      session.start(sources)
      this.showRecording(session)
    } catch (error) {
      sources.close()
      this.showRefusal(error)
    }
  }

  private showRecording(session: Session) {
    const { texts } = this
    const { content, update } = recordingScreen(session, texts, {
      hasMicrophone: this.hasMicrophone,
      nextMark: () => ++this.marks
    })
    const heading = this.show(texts.recordingTitle, content)
    this.onState = (state) => {
      if (state.phase === "stopped") {
        // At once: browsers allow it for a moment after the press of the button.
        this.isLinkCopied = copyLink(session.capture.begun)
        return void this.showReview()
      }
      update(state)
      write(heading, state.phase === "paused" ? texts.pausedTitle : texts.recordingTitle)
      document.title = texts.recordingTab(clock(state.elapsedMs))
    }
  }

  /** `refused`: values that the server has refused, and its reason. */
  private async showReview(refused?: { readonly fields: Finish; readonly problem: string }) {
    const { link, session, texts } = this
    if (session === null) return
    await session.settled()
    // A browser without room may not even read.
    const blobs = await session.videos().catch(() => [])
    const videos = blobs.map((video) => ({ url: URL.createObjectURL(video), type: video.type }))
    if (session.current.phase === "sent") return this.showSent()
    const draft = refused?.fields ?? {}
    const content = reviewScreen(texts, {
      ...{ link, videos, problem: session.current.problem },
      draft,
      agent: this.options.invitation.agentFields?.(session.capture.begun, draft, texts) ?? null,
      onSend: (fields) => void this.send(session, fields),
      onMore: () => this.showRequest(),
      onDiscard: () => this.showDiscard()
    })
    const section = linkSection(session.capture.begun, await this.isLinkCopied, texts.reviewLink, texts)
    this.show(texts.reviewTitle, [refused !== undefined && problemText(refused.problem), ...section, ...content])
    this.urls = videos.map(({ url }) => url)
    const shown = session.current.problem
    this.onState = ({ phase, problem }) => {
      if (phase === "sent") this.showSent()
      else if (problem === "revoked" && shown !== problem) void this.showReview()
    }
  }

  private endSession() {
    this.session = null
    this.marks = 0
    this.pairing?.attach(null)
  }

  private showDiscard() {
    const { texts } = this
    const yes = button(texts.discard, () => void this.discard(), true)
    const no = button(texts.keep, () => void this.showReview())
    this.show(texts.discard, [element("p", {}, texts.discardQuestion), actions(yes, no)])
    this.onState = ({ phase }) => {
      if (phase === "sent") this.showSent()
    }
  }

  private async discard() {
    const { texts } = this
    try {
      await this.session?.discard()
    } catch (error) {
      return this.showRefusal(error)
    }
    this.endSession()
    this.show(texts.discardedTitle, [button(texts.restart, () => void this.open(), true)])
  }

  private async send(session: Session, fields: Finish) {
    const { texts } = this
    const progress = element("progress", { max: 1, value: 0, attributes: { "aria-label": texts.progress } })
    const message = status()
    this.show(texts.sendingTitle, [progress, message])
    const update = ({ isConnected, problem, sentBytes, spooledBytes }: SessionState) => {
      progress.max = Math.max(1, spooledBytes)
      progress.value = sentBytes
      write(message, !isConnected ? texts.waiting : problem === "storage_full" ? texts.makeRoom : "")
    }
    this.onState = update
    update(session.current)
    try {
      await session.finish(fields)
    } catch (error) {
      if (!(error instanceof CaptureError) || error.status !== 422) return this.showReview()
      return this.showReview({ fields, problem: texts.failed(error.message) })
    }
    this.showSent()
  }

  private showSent() {
    const { link, session, texts } = this
    const section = session === null ? [] : linkSection(session.capture.begun, false, texts.sentLink, texts)
    this.endSession()
    const onward = element("a", { href: link.redirect_url ?? "", rel: "noreferrer" }, texts.onward)
    this.show(texts.sentTitle, [
      element("p", {}, texts.sentText),
      ...section,
      link.redirect_url !== null && element("p", {}, onward)
    ])
  }
}
