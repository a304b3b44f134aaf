/** A date and time, or a time, that loggers put before a line, in brackets or not. */
const timestamp = /^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+/i

/** The script and line that browsers put before a message: `app.js:12`, `https://a.test/app.js:12:5`. */
const location = /^\S+:\d+\s+/

/** The level `error`, in brackets or not; `Uncaught …`; or an error's name: `TypeError: …`, `DOMException: …`. */
const marker = /^(?:\[error\]|(?:console\.)?error(?:[^\w.]|$)|uncaught\b|[\w$.]{0,100}(?:error|exception):)/i

/** The text before a message is optional, and a time can look like a location: `10:00:00`. */
const isErrorLine = (line: string): boolean => {
  const trimmed = line.trimStart()
  return [trimmed, trimmed.replace(timestamp, "")].some(
    (text) => marker.test(text) || marker.test(text.replace(location, ""))
  )
}

/**
 * The error lines of raw console output, trimmed: those that begin, after a timestamp and a source location if
 * there are any, with the level `error` (`error`, `[ERROR]`, `console.error`), with `Uncaught`, or with an error's name and a colon. The lines of a stack
 * trace are not error lines.
 */
export const errorLines = (consoleLogs: string): ReadonlyArray<string> =>
  consoleLogs
    .split(/\r\n|\r|\n/)
    .filter(isErrorLine)
    .map((line) => line.trim())
