import { unwatchFile, watchFile } from "node:fs"

/** How often the file is looked at, in wall time. */
const intervalMs = 100

/** A file that is watched. */
export interface Watched {
  /** Calls `look` now, for what has changed since the watch began, and after each change; one call after the other. */
  readonly onChange: (look: () => Promise<void>) => void
  readonly end: () => void
}

/**
 * Watches a file by looking at it again and again. Events tell less: nothing of a file that an editor replaced by
 * renaming another, of a symbolic link that was moved (as Kubernetes does), or of a folder mounted into a container.
 */
export const watchFixtures = (file: string): Watched => {
  let look = async () => {}
  let last = Promise.resolve()
  const changed = () => {
    last = last.then(() => look())
  }
  watchFile(file, { interval: intervalMs, persistent: false }, changed)
  return {
    onChange: (listener) => {
      look = listener
      changed()
    },
    end: () => unwatchFile(file)
  }
}
