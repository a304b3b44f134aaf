/** Answer of a sink or a fault: a status, a stage that fails, or a complete response. */
export type Outcome =
  | number
  | string
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly after?: unknown
    }

export const outcomesText = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join("\n")

/** Parses one outcome a line: `500`, `timeout`, or a JSON object. The emulator reports invalid outcomes. */
export const readOutcomes = (text: string): ReadonlyArray<unknown> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      if (/^\d+$/.test(line)) return Number(line)
      if (!line.startsWith("{")) return line
      try {
        return JSON.parse(line)
      } catch {
        return line
      }
    })
