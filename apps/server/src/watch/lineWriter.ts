import { writeSync } from "node:fs"

/** Descriptor of standard error, for the lines that remain when the process ends. */
const standardError = 2

/**
 * Writes lines to standard error, those of one turn of the event loop together, because a system call for each would be the
 * largest cost of a request. Remaining lines are written when the process ends.
 */
export const makeLineWriter = (): ((line: string) => void) => {
  let waiting: Array<string> = []
  const taken = (): string => {
    const text = `${waiting.join("\n")}\n`
    waiting = []
    return text
  }
  const flush = () => {
    if (waiting.length > 0) process.stderr.write(taken())
  }
  process.stderr.on("error", () => {}) // The reader is gone; the server continues.
  process.on("exit", () => {
    if (waiting.length === 0) return
    try {
      writeSync(standardError, taken())
    } catch {
      // The reader is gone.
    }
  })
  return (line) => {
    if (waiting.push(line) === 1) setImmediate(flush)
  }
}
