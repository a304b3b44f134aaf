/** A part of a file: `length` bytes from `start`. */
export interface Part {
  readonly start: number
  readonly length: number
}

/**
 * The part of a file of `size` bytes that a `Range` header requests (RFC 9110, 14.1 and 14.2). `whole` where there is no
 * such header, where it asks for several parts, or where it is malformed, which a server ignores; `unsatisfiable` where
 * no byte of it exists.
 */
export const requestedPart = (range: string | undefined, size: number): Part | "whole" | "unsatisfiable" => {
  const match = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range ?? "")
  const [first = "", last = ""] = match?.slice(1) ?? []
  if (first === "" && last === "") return "whole"
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { start: size - length, length }
  }
  const start = Number(first)
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < start) return "whole"
  return start >= size ? "unsatisfiable" : { start, length: end - start + 1 }
}

/** Returns whether `If-None-Match` names the tag, by weak comparison (RFC 9110, 13.1.2). */
export const namesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" ||
    header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag.replace(/^W\//, "")))

/** Returns whether `If-Match` names the tag, by strong comparison (RFC 9110, 13.1.1). */
export const isMatch = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((one) => one.trim() === etag && !etag.startsWith("W/"))

/** The three forms of an HTTP date (RFC 9110, 5.6.7). */
const dateForm =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/

/** Returns whether nothing changed after the date of `If-Unmodified-Since`. A malformed date is ignored (RFC 9110, 13.1.4). */
export const isUnmodified = (header: string, modifiedMs: number): boolean => {
  const date = header.trim()
  // The third form names no time zone: it is UTC.
  const ms = dateForm.test(date) ? Date.parse(date.endsWith("GMT") ? date : `${date} GMT`) : Number.NaN
  return Number.isNaN(ms) || Math.floor(modifiedMs / 1000) * 1000 <= ms
}

/** Returns whether `If-Range` permits the range to be answered: it names this very state of the file (RFC 9110, 13.1.5). */
export const isStillThis = (header: string | undefined, etag: string): boolean =>
  header === undefined || (header.trim() === etag && !etag.startsWith("W/"))
