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

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110, 13.1.2). */
export const namesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" ||
    header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag.replace(/^W\//, "")))

/** Whether `If-Range` lets the range be answered: it names this very state of the file (RFC 9110, 13.1.5). */
export const isStillThis = (header: string | undefined, etag: string): boolean =>
  header === undefined || (header.trim() === etag && !etag.startsWith("W/"))
