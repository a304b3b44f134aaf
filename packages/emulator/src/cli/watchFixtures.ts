import { unwatchFile, watchFile } from "node:fs"
import { Effect } from "effect"
import { readFixturesText } from "./fixturesFile.ts"

/** Poll interval, in wall time. */
const intervalMs = 100

/** A watched file. */
export interface Watched {
  /** Calls `look` now, for changes since the watch began, and after each change, one call after the other. */
  readonly onChange: (look: () => Promise<void>) => void
  /** The text, once reads are equal: not while the file is being written or replaced. */
  readonly text: () => Promise<string>
  readonly end: () => void
}

/**
 * Watches a file by polling. Events miss a file that an editor replaced by a rename, a symbolic link that was moved (as Kubernetes
 * does), and folders mounted into a container.
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

/** Number of consecutive reads that must be equal. An empty text needs more, because a file is empty between its opening and the first write. */
const equalReads = (text: string | null): number => (text === "" ? 20 : 2)

const settledText = async (file: string): Promise<string> => {
  let before: string | null | undefined
  let reads = 0
  while (true) {
    const text = textNow(file)
    reads = text === before ? reads + 1 : 1
    if (reads >= equalReads(text)) return text ?? readFixturesText(file)
    before = text
    await Effect.runPromise(Effect.sleep(intervalMs))
  }
}

/** Null if the file cannot be read. */
const textNow = (file: string): string | null => {
  try {
    return readFixturesText(file)
  } catch {
    return null
  }
}
