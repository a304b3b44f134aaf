import type { Json } from "../json.ts"
import { excerpt } from "./excerpt.ts"

/** Maximum length of `recording.first_error`, in UTF-16 code units. */
const MAX_FIRST_ERROR_LENGTH = 500

/**
 * Returns the first console error, or else the first network error, as one text: its `message`; the method, address, and status or error of
 * a request; else its JSON text. Null without errors.
 */
export const firstErrorOf = (console: ReadonlyArray<Json>, network: ReadonlyArray<Json>): string | null => {
  const [first = network[0]] = console
  return first === undefined ? null : excerpt(errorText(first), MAX_FIRST_ERROR_LENGTH)
}

const errorText = (error: Json): string => {
  if (typeof error === "string") return error
  if (typeof error !== "object" || error === null || Array.isArray(error)) return JSON.stringify(error)
  const { error: cause, message, method, status, url } = error as Readonly<Record<string, Json | undefined>>
  if (typeof message === "string") return message
  if (typeof url !== "string") return JSON.stringify(error)
  const outcome = typeof cause === "string" ? cause : typeof status === "number" ? String(status) : ""
  return [typeof method === "string" ? method : "", url, outcome].filter((part) => part !== "").join(" ")
}
