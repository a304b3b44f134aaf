import type { Begun, CaptureApi } from "./CaptureApi.ts"
import { CaptureError, UnavailableError } from "./PageApi.ts"

/** Where captures begin: a link, or a site. */
export interface Entrance {
  /** The address of its page, by which the spool finds what a crash left behind. */
  readonly origin: string
  /** With the key of an earlier call it answers the same capture. */
  readonly begin: (key: string) => Promise<Begun>
}

/**
 * The key with which a page begins a capture, until the capture is in the spool. It is kept in the tab's session, so that a reload finds
 * it, and another tab does not.
 */
const nameOf = (origin: string) => `tapedeck-begin ${origin}`

/** Where the browser lets the page keep nothing. */
const inMemory = new Map<string, string>()

const pendingKey = (origin: string): string | null => {
  try {
    return sessionStorage.getItem(nameOf(origin)) ?? inMemory.get(origin) ?? null
  } catch {
    return inMemory.get(origin) ?? null
  }
}

/** The pending key, else a new one, which is pending then. */
export const beginKey = (origin: string): string => {
  const pending = pendingKey(origin)
  if (pending !== null) return pending
  const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18)))).replace(/[+/]/g, "-")
  inMemory.set(origin, key)
  try {
    sessionStorage.setItem(nameOf(origin), key)
  } catch {}
  return key
}

export const forgetKey = (origin: string) => {
  inMemory.delete(origin)
  try {
    sessionStorage.removeItem(nameOf(origin))
  } catch {}
}

/** Gives a capture back that this tab began without getting the answer: nothing was recorded, and it may have used the link up. */
export const releaseUnanswered = async (api: CaptureApi, { begin, origin }: Entrance): Promise<void> => {
  const key = pendingKey(origin)
  if (key === null) return
  try {
    await api.discard(await begin(key))
  } catch (error) {
    // Refused: there is none. Too many: the server ends it.
    if (!(error instanceof CaptureError) && !(error instanceof UnavailableError && error.status === 429)) throw error
  }
  forgetKey(origin)
}
