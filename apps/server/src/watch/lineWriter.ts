import { writeSync } from "node:fs"

/** Descriptor of standard error, which is what is left to write to when the process ends. */
const standardError = 2

/**
 * Writes lines to standard error, all those of one turn of the event loop together: a system call for each would be the
 * dearest part of a request. What is left is written as the process ends.
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
  process.stderr.on("error", () => {}) // Whoever read it has gone; the server has not.
  process.on("exit", () => {
    if (waiting.length === 0) return
    try {
      writeSync(standardError, taken())
    } catch {
      // Nobody is left to tell.
    }
  })
  return (line) => {
    if (waiting.push(line) === 1) setImmediate(flush)
  }
}
