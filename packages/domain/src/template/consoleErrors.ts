/** A date and time, or a time, that loggers put before a line, in brackets or not. */
const timestamp = String.raw`\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?\s+`

/** The script and line that browsers put before a message: `app.js:12`, `https://a.test/app.js:12:5`. */
const location = String.raw`\S{1,300}:\d{1,9}(?::\d{1,9})?\s+`

/** The level `error`, in brackets or not; `Uncaught …`; or an error's name: `TypeError: …`, `DOMException: …`. */
const marker = String.raw`(?:\[error\]|(?:console\.)?error(?![\w.])|uncaught\b|[\w$.]{0,100}(?:error|exception):)`

const errorLine = new RegExp(`^\\s*(?:${timestamp})?(?:${location})?${marker}`, "i")

/**
 * The error lines of raw console output (W7), trimmed: those that begin, after a timestamp and a source location if
 * there are any, with the level `error` (`error`, `[ERROR]`, `console.error`), with `Uncaught`, or with an error's name and a colon. The lines of a stack
 * trace are not error lines.
 */
export const errorLines = (consoleLogs: string): ReadonlyArray<string> =>
  consoleLogs
    .split(/\r\n|\r|\n/)
    .filter((line) => errorLine.test(line))
    .map((line) => line.trim())
