import { type Clock, now } from "../clock.ts"
import type { LogTarget, PageApi, Pairing } from "../PageApi.ts"

/** What a page leaves to the next one of its origin. */
export interface LogState {
  readonly pairing: Pairing
  readonly stream: string
  readonly seq: number
  readonly unsent: ReadonlyArray<string>
  readonly clock: Clock
  readonly email: string | null
}

/** How long a page of the same origin may take to load. */
const handoverMs = 60_000
/** What browsers send for a page that is gone is 64 KiB at most, in bytes. */
const maxLastBytes = 60_000

const nameOf = (key: string) => `tapedeck:${key}`

/** Leaves the log's state in `sessionStorage`, for the next page of this origin in this tab. Throws where it has no room. */
export const leaveState = (key: string, state: LogState) => {
  sessionStorage.setItem(nameOf(key), JSON.stringify({ at: now(), state }))
}

/** Takes the state that a page before has left. Another page cannot take it again. */
export const takeState = (key: string): LogState | null => {
  const text = sessionStorage.getItem(nameOf(key))
  if (text === null) return null
  sessionStorage.removeItem(nameOf(key))
  const { at, state } = JSON.parse(text) as { readonly at: number; readonly state: LogState }
  return now() - at < handoverMs ? state : null
}

/** Sends what fits, though the page goes: the next page may be one of another origin. What comes twice is skipped by its number. */
export const sendLast = (api: PageApi, { pairing, stream, unsent }: LogState) => {
  let body = ""
  for (const line of unsent) {
    // A UTF-16 code unit has at most three bytes.
    if ((body.length + line.length) * 3 > maxLastBytes) break
    body += `${line}\n`
  }
  if (body !== "") void api.appendLog(targetOf(pairing), stream, body, true).catch(() => {})
}

export const targetOf = ({ log_token, logs_url }: Pairing): LogTarget => ({ capture_token: log_token, logs_url })
