import type { Config } from "../config/Config.ts"
import type { Tokens } from "../start/load.ts"

/** What a server is, once it listens: the line of `--json`. */
export interface ServerView {
  readonly version: string
  readonly base_url: string
  readonly public_url: string
  readonly store: Config["store"]
  /** Absolute; null for a store in memory. */
  readonly data: string | null
  /** By e-mail address, of what the store started with. */
  readonly tokens: Tokens
}

export interface Shown {
  readonly view: ServerView
  /** Whether this start put the start data there; undefined where there are none. */
  readonly isNew: boolean | undefined
  /** A recording to look at. */
  readonly recording: string | undefined
}

/** What the command says to a person once it listens: where everything is, and what to try first. */
export const greeting = ({ isNew, recording, view }: Shown): string => {
  const { base_url, data, public_url, tokens } = view
  const told = Object.entries(tokens)
  const [first] = told
  const rows = [
    ["API", `${base_url}/api/v2   (docs: ${base_url}/api/docs)`],
    ["Page", base_url],
    ...(recording === undefined ? [] : [["Watch", `${public_url}/r/${recording}`]]),
    ["Data", dataText(data, isNew)]
  ]
  return [
    `Tapedeck server ${view.version}`,
    "",
    ...rows.map(([name = "", value]) => `  ${name.padEnd(9)} ${value}`),
    ...(told.length === 0 ? [] : ["  Tokens"]),
    ...told.map(([email, token]) => `    ${email}  ${token}`),
    "",
    ...(first === undefined
      ? ["Nobody is here yet: start it on a new data directory with --demo, or with --fixtures FILE.", ""]
      : ["Try", `  curl -H 'Authorization: Bearer ${first[1]}' ${base_url}/api/v2/recordings`, ""]),
    ""
  ].join("\n")
}

const dataText = (data: string | null, isNew: boolean | undefined): string => {
  if (data === null) return "in memory: gone when the server stops"
  return `${data}${isNew === false ? "   (as it was left)" : ""}`
}
