import { readFileSync } from "node:fs"
import type { MetricDeclaration } from "@tapedeck/core"
import { declaredMetrics } from "../src/observe/declaredMetrics.ts"

const root = new URL("../../../", import.meta.url)

const code = (text: string): string => `\`${text}\``

const labelText = ([name, values]: readonly [string, ReadonlyArray<string> | null]): string =>
  values === null ? code(name) : `${code(name)}: ${values.map(code).join(", ")}`

const metricRow = ({ help, labels, name, type }: MetricDeclaration): string =>
  `| ${code(name)} | ${type} | ${Object.entries(labels).map(labelText).join("; ")} | ${help} |`

const metricTable = (): string =>
  ["| Metric | Type | Labels | Description |", "|---|---|---|---|", ...declaredMetrics.map(metricRow)].join("\n")

/** Replaces the table that begins with the header line of `table`. */
const withTable = (text: string, table: string): string => {
  const [header = ""] = table.split("\n")
  const start = text.indexOf(`${header}\n`)
  if (start === -1) throw new Error(`there is no table ${header}`)
  return text.slice(0, start) + table + text.slice(text.indexOf("\n\n", start))
}

/** The documents that contain generated parts, by their path in the repository, with these parts as they must be. */
export const documents = (): Readonly<Record<string, string>> => ({
  "docs/operating.md": withTable(readFileSync(new URL("docs/operating.md", root), "utf8"), metricTable())
})
