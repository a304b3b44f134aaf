import type { Begun, CaptureApi, LinkView } from "./CaptureApi.ts"
import { oneTabAtATime } from "./openTabs.ts"
import type { Spool, SpooledCapture } from "./Spool.ts"

/** Starting point of captures: a link, a site, or the console of an agent. */
export interface Entrance {
  /** Address of the page, by which the spool finds captures after a crash. */
  readonly origin: string
  /** Starts a capture. For the same key, a link and a site return the same open capture. */
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
 * Returns the key with which this tab starts its next capture. It stays the same until the capture is in the spool, even after a reload,
 * because the tab's session stores it. A duplicated tab has the same key.
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

/** Returns the id of a capture in the browser. Its own id may be that of another capture, too, because worlds of an emulator have the same ids. */
const spoolId = ({ finish_url }: Begun): string => finish_url

const isSpooled = async (spool: Spool, origin: string, begun: Begun): Promise<boolean> =>
  (await spool.captures(origin)).some(({ id }) => id === spoolId(begun))

/** Starts a capture, and adds it to the spool. A capture that another tab has started with the same key is left to that tab. */
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
 * Discards the capture that this tab has started without getting the response: nothing was recorded, and it may have used a use of the link.
 * The key is kept, because a late request may start another capture with it. Resolves with whether there was a capture.
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
