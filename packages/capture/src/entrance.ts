import type { Begun, CaptureApi, LinkView } from "./CaptureApi.ts"
import { oneTabAtATime } from "./openTabs.ts"
import type { Spool, SpooledCapture } from "./Spool.ts"

/** Where captures begin: a link, a site, or the console of an agent. */
export interface Entrance {
  /** The address of its page, by which the spool finds what a crash left behind. */
  readonly origin: string
  /** A link and a site answer the same open capture to the same key. */
  readonly begin: (key: string) => Promise<Begun>
}

const nameOf = (origin: string) => `tapedeck-begin ${origin}`

/** Keys of pages whose `sessionStorage` is blocked. */
const inMemory = new Map<string, string>()

const pendingKey = (origin: string): string | null => {
  try {
    return sessionStorage.getItem(nameOf(origin)) ?? inMemory.get(origin) ?? null
  } catch {
    return inMemory.get(origin) ?? null
  }
}

/**
 * The key with which this tab begins its next capture. It stays the same until the capture is in the spool, also over a reload:
 * the tab's session keeps it. A duplicated tab has the same one.
 */
const beginKey = (origin: string): string => {
  const pending = pendingKey(origin)
  if (pending !== null) return pending
  const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18)))).replace(/[+/]/g, "-")
  inMemory.set(origin, key)
  try {
    sessionStorage.setItem(nameOf(origin), key)
  } catch {}
  return key
}

const forgetKey = (origin: string) => {
  inMemory.delete(origin)
  try {
    sessionStorage.removeItem(nameOf(origin))
  } catch {}
}

/** A capture's id in the browser. Its own id may be that of another capture too: worlds of an emulator have the same ids. */
const spoolId = ({ finish_url }: Begun): string => finish_url

const isSpooled = async (spool: Spool, origin: string, begun: Begun): Promise<boolean> =>
  (await spool.captures(origin)).some(({ id }) => id === spoolId(begun))

/** Begins a capture that is in the spool then. One that another tab has begun with the same key is left to it. */
export const beginSpooled = async (spool: Spool, entrance: Entrance, link: LinkView): Promise<SpooledCapture> => {
  const { begin, origin } = entrance
  const key = beginKey(origin)
  const capture = await oneTabAtATime(key, async () => {
    const begun = await begin(key)
    if (await isSpooled(spool, origin, begun)) return null
    const spooled: SpooledCapture = { id: spoolId(begun), origin, begun, link, startedAt: Date.now() }
    await spool.addCapture(spooled)
    return spooled
  })
  forgetKey(origin)
  return capture ?? beginSpooled(spool, entrance, link)
}

/**
 * Gives the capture back that this tab has begun without getting the answer: nothing was recorded, and it may have used the link up.
 * The key stays the next one, because a request that arrives late may begin another capture with it. True: there was one.
 */
export const releaseUnanswered = async (api: CaptureApi, spool: Spool, entrance: Entrance): Promise<boolean> => {
  const { begin, origin } = entrance
  const key = pendingKey(origin)
  if (key === null) return false
  return oneTabAtATime(key, async () => {
    const begun = await begin(key)
    if (await isSpooled(spool, origin, begun)) return false
    await api.discard(begun)
    return true
  })
}
