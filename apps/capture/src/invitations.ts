import { type CaptureApi, CaptureError, type Entrance, type LinkView, PagePairing } from "@tapedeck/capture"
import type { AgentFields } from "./agentFields.ts"
import type { AgentAnswer, AgentQuestion } from "./agentMessages.ts"
import type { Texts } from "./texts.ts"

/** Origin of a request for a recording: a link, a page of a site, or the console of an agent. */
export interface Invitation extends Entrance {
  /** Ticket and folder, on the review screen of an agent; null if the person who records is the customer. */
  readonly agentFields: AgentFields | null
  readonly title: (link: LinkView, texts: Texts) => string
  readonly view: () => Promise<LinkView>
  /** The page that opened this one and adds its log; null without one. */
  readonly pairing: () => PagePairing | null
}

const asked: Pick<Invitation, "agentFields" | "title"> = {
  agentFields: null,
  title: (link, texts) => texts.asks(link.account_name, link.requested_by)
}

export const linkInvitation = (api: CaptureApi, token: string): Invitation => ({
  ...asked,
  origin: `${api.base}/c/${token}`,
  view: () => api.link(token),
  begin: (idempotencyKey) => api.begin(token, idempotencyKey),
  pairing: () => null
})

/** How long the page that opened this one has to answer. */
const answerMs = 1_500

export const siteInvitation = (api: CaptureApi, key: string): Invitation => {
  let pairing: PagePairing | null = null
  return {
    ...asked,
    origin: `${api.base}/c/site#${key}`,
    view: async () => {
      const site = await api.site(key)
      const page = window.opener as Window | null
      if (pairing === null && page !== null) {
        const opened = new PagePairing({ api, key, site, page })
        if (await opened.isThere(answerMs)) pairing = opened
        else opened.close()
      }
      return {
        title: pairing?.details.title ?? null,
        message: null,
        account_name: site.account_name,
        requested_by: null,
        has_customer: pairing?.details.customer !== undefined,
        sources: { screen: "required", microphone: "optional", camera: "optional", logs: "optional" },
        max_duration_seconds: site.max_duration_seconds,
        redirect_url: null
      }
    },
    begin: (idempotencyKey) => api.beginBySite(key, pairing?.details ?? {}, idempotencyKey),
    pairing: () => pairing
  }
}

/** How long the console has to begin a capture. */
const beginMs = 30_000

/** Requests an answer from the console that opened this window. Fails with 401 if there is none, or it does not answer. */
const fromConsole = (question: AgentQuestion, timeoutMs: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const console = window.opener as Window | null
    if (console === null) return reject(new CaptureError(401, "no console"))
    const { port1, port2 } = new MessageChannel()
    const timer = setTimeout(() => {
      port1.close()
      reject(new CaptureError(401, "no answer"))
    }, timeoutMs)
    port1.onmessage = ({ data }: MessageEvent<AgentAnswer>) => {
      clearTimeout(timer)
      port1.close()
      if ("answer" in data) resolve(data.answer)
      else reject(new CaptureError(data.status, data.message))
    }
    console.postMessage(question, location.origin, [port2])
  })

/** An agent's own recording. The console has the session, and begins the capture by it. */
export const agentInvitation = (api: CaptureApi, agentFields: AgentFields): Invitation => ({
  agentFields,
  title: (_, texts) => texts.own,
  origin: `${api.base}/c/agent`,
  view: async () => (await fromConsole({ tapedeck: "view" }, answerMs)) as LinkView,
  begin: async () => (await fromConsole({ tapedeck: "begin" }, beginMs)) as Awaited<ReturnType<Entrance["begin"]>>,
  pairing: () => null
})
