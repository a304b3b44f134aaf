/** Maximum time for a tab that closes or is reloaded to release its captures, in milliseconds. */
const leavingMs = 2_000

/** Returns the locks of the browser; undefined in pages without a secure context, which cannot record the screen. */
const locks = () => globalThis.navigator?.locks as LockManager | undefined

const nameOf = (captureId: string) => `tapedeck-capture ${captureId}`

const openHere = new Set<string>()

/** Marks a capture as open in this tab until the tab closes or crashes. */
export const markOpen = (captureId: string) => {
  if (openHere.has(captureId)) return
  openHere.add(captureId)
  // A page that may have no locks is on its own.
  locks()
    ?.request(nameOf(captureId), () => new Promise(() => {}))
    .catch(() => {})
}

/** Returns whether a capture is open in another tab, which continues it. */
export const isOpenElsewhere = async (captureId: string): Promise<boolean> => {
  if (openHere.has(captureId)) return false
  try {
    await locks()?.request(nameOf(captureId), { signal: AbortSignal.timeout(leavingMs) }, () => {})
    return false
  } catch (error) {
    return error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError")
  }
}

/** Runs `body` in one tab at a time among the tabs with the same key. */
export const oneTabAtATime = async <A>(key: string, body: () => Promise<A>): Promise<A> => {
  const manager = locks()
  return manager === undefined ? body() : manager.request(`tapedeck-begin ${key}`, body)
}
