import { unwatchFile, watchFile } from "node:fs"
import { Effect } from "effect"
import { readFixturesText } from "./fixturesFile.ts"

/** How often the file is looked at, in wall time. */
const intervalMs = 100

/** A file that is watched. */
export interface Watched {
  /** Calls `look` now, for what has changed since the watch began, and after each change; one call after the other. */
  readonly onChange: (look: () => Promise<void>) => void
  /** Its text, once it is the same twice: not while it is being written, nor between an old file and a new one. */
  readonly text: () => Promise<string>
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
    text: () => settledText(file),
    end: () => unwatchFile(file)
  }
}

const settledText = async (file: string): Promise<string> => {
  let before: string | null | undefined
  while (true) {
    const text = textNow(file)
    if (text === before) return text ?? readFixturesText(file)
    before = text
    await Effect.runPromise(Effect.sleep(intervalMs))
  }
}

/** Null for a file that cannot be read. */
const textNow = (file: string): string | null => {
  try {
    return readFixturesText(file)
  } catch {
    return null
  }
}
