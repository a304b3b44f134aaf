import type { WorldView } from "../control/schemas.ts"

/** The text that the command prints for a person once it listens: addresses, tokens and a first request. */
export const banner = (view: WorldView, clock: "stopped" | "running"): string => {
  const tokens = Object.entries(view.tokens)
  const [first] = tokens
  const rows = [
    ["API", `${view.base_url}/api/v2   (docs: ${view.base_url}/api/docs)`],
    ["Control", view.control_url],
    ["Page", `${view.control_url}/ui`],
    ["Clock", `${view.now}, ${clock}`]
  ]
  return [
    `Tapedeck emulator ${view.version}`,
    "",
    ...rows.map(([name = "", value]) => `  ${name.padEnd(9)} ${value}`),
    ...(tokens.length === 0 ? [] : ["  Tokens"]),
    ...tokens.map(([email, token]) => `    ${email}  ${token}`),
    ...(first === undefined
      ? []
      : ["", "Try", `  curl -H 'Authorization: Bearer ${first[1]}' ${view.base_url}/api/v2/recordings`]),
    "",
    ""
  ].join("\n")
}
