import type { Config } from "../config/Config.ts"
import type { Tokens } from "../start/load.ts"

/** What a server is, once it listens: the line of `--json`. */
export interface ServerView {
  readonly version: string
  readonly base_url: string
  readonly public_url: string
  readonly store: Config["store"] | "postgres"
  /** Absolute; null for a store in memory. */
  readonly data: string | null
  /** By e-mail address, of what the store started with. */
  readonly tokens: Tokens
}

export interface Shown {
  readonly view: ServerView
  readonly role: Config["role"]
  /** Whether this start put the start data there; undefined where there are none. */
  readonly isNew: boolean | undefined
  /** A recording to look at. */
  readonly recording: string | undefined
  /** The link with which the first admin comes in; null where there is one. */
  readonly setup: string | null
}

/** What the command says to a person once it listens: where everything is, and what to try first. */
export const greeting = ({ isNew, recording, role, setup, view }: Shown): string => {
  const { base_url, data, public_url, tokens } = view
  const told = Object.entries(tokens)
  const [first] = told
  const places =
    role === "dispatcher"
      ? [["Health", `${base_url}/readyz   (it makes deliveries, and answers no requests)`]]
      : [
          ["API", `${base_url}/api/v2   (docs: ${base_url}/api/docs)`],
          ["Page", base_url],
          ...(recording === undefined ? [] : [["Watch", `${public_url}/r/${recording}`]])
        ]
  const rows = [...places, ["Data", dataText(data, isNew)]]
  return [
    `Tapedeck server ${view.version}`,
    "",
    ...rows.map(([name = "", value]) => `  ${name.padEnd(9)} ${value}`),
    ...(told.length === 0 ? [] : ["  Tokens"]),
    ...told.map(([email, token]) => `    ${email}  ${token}`),
    "",
    ...(first === undefined || role === "dispatcher"
      ? nobody(setup)
      : ["Try", `  curl -H 'Authorization: Bearer ${first[1]}' ${base_url}/api/v2/recordings`, ""]),
    ""
  ].join("\n")
}

/** A server that starts with nothing has no tokens to tell; one that has no admin either is to be set up. */
const nobody = (setup: string | null): ReadonlyArray<string> =>
  setup === null
    ? []
    : [
        "Nobody is here yet. Set it up with this link, once, within three days; a restart makes another one:",
        `  ${setup}`,
        "or start it on a new data directory with --demo, or with --fixtures FILE.",
        ""
      ]

const dataText = (data: string | null, isNew: boolean | undefined): string => {
  if (data === null) return "in memory: gone when the server stops"
  return `${data}${isNew === false ? "   (as it was left)" : ""}`
}
