import type { Config } from "../config/Config.ts"
import type { Tokens } from "../serve/start/load.ts"

/** The line that `--json` prints once the server listens. */
export interface ServerView {
  readonly version: string
  readonly base_url: string
  readonly public_url: string
  readonly store: Config["store"] | "postgres"
  /** Absolute; null for a store in memory. */
  readonly data: string | null
  /** Tokens of the start data, by e-mail address. */
  readonly tokens: Tokens
}

export interface Shown {
  readonly view: ServerView
  readonly role: Config["role"]
  /** True if this start loaded the start data; undefined without start data. */
  readonly isNew: boolean | undefined
  /** A recording of the demo. */
  readonly recording: string | undefined
  /** The link that creates the first admin; null if an admin exists. */
  readonly setup: string | null
  /** The link that signs the demo's admin in; null without a demo. */
  readonly signIn: string | null
}

/** Returns the text that the command prints when it listens: addresses, tokens and a first request. */
export const banner = ({ isNew, recording, role, setup, signIn, view }: Shown): string => {
  const { base_url, data, public_url, tokens } = view
  const entries = Object.entries(tokens)
  const [first] = entries
  const places =
    role === "dispatcher"
      ? [["Health", `${base_url}/readyz   (this process makes deliveries and serves no API)`]]
      : [
          ["API", `${base_url}/api/v2   (docs: ${base_url}/api/docs)`],
          ["Page", public_url],
          ...(signIn === null ? [] : [["Open", `${signIn}   (signs the demo's admin in, once, within an hour)`]]),
          ...(recording === undefined ? [] : [["Watch", `${public_url}/r/${recording}`]])
        ]
  const rows = [...places, ["Data", dataText(data, isNew)]]
  return [
    `Tapedeck server ${view.version}`,
    "",
    ...rows.map(([name = "", value]) => `  ${name.padEnd(9)} ${value}`),
    ...(entries.length === 0 ? [] : ["  Tokens"]),
    ...entries.map(([email, token]) => `    ${email}  ${token}`),
    "",
    ...(first === undefined || role === "dispatcher"
      ? setUpLines(setup)
      : ["Try", `  curl -H 'Authorization: Bearer ${first[1]}' ${base_url}/api/v2/recordings`, ""]),
    ""
  ].join("\n")
}

/** The link that creates the first admin. */
const setUpLines = (setup: string | null): ReadonlyArray<string> =>
  setup === null
    ? []
    : [
        "No admin exists yet. Open this link to create one (valid once, for 3 days; a restart creates another link):",
        `  ${setup}`,
        "or start with --demo or --fixtures FILE on a new data directory.",
        ""
      ]

const dataText = (data: string | null, isNew: boolean | undefined): string => {
  if (data === null) return "in memory, lost when the server stops"
  return `${data}${isNew === false ? "   (existing data)" : ""}`
}
