import { readFileSync } from "node:fs"
import type { MetricDeclaration } from "@tapedeck/core"
import { optionOf, variableOf } from "../src/config/setting.ts"
import { type SettingName, settingNames, settings } from "../src/config/settings.ts"
import { textSchema } from "../src/config/values.ts"
import { declaredMetrics } from "../src/observe/declaredMetrics.ts"

const root = new URL("../../../", import.meta.url)

const code = (text: string): string => `\`${text}\``

const labelText = ([name, values]: readonly [string, ReadonlyArray<string> | null]): string =>
  values === null ? code(name) : `${code(name)}: ${values.map(code).join(", ")}`

const metricRow = ({ help, labels, name, type }: MetricDeclaration): string =>
  `| ${code(name)} | ${type} | ${Object.entries(labels).map(labelText).join("; ")} | ${help} |`

const metricTable = (): string =>
  ["| Metric | Type | Labels | Description |", "|---|---|---|---|", ...declaredMetrics.map(metricRow)].join("\n")

/** A secret is a variable or a file. */
const namesOf = (name: SettingName): string =>
  settings[name].secret === true
    ? `${code(variableOf(name))}, ${code(`--${optionOf(name)}-file`)}`
    : code(`--${optionOf(name)}`)

const isSecretFile = (name: SettingName): boolean =>
  settingNames.some((one) => name === `${one}_file` && settings[one].secret)

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

/** A word or a number is a value; more words describe one. */
const valueOrText = (text: string): string => (text === "none" || text.includes(" ") ? text : code(text))

const initialOf = (name: SettingName): string => settings[name].initially ?? String(settings[name].initial)

const settingRow = (name: SettingName): string => {
  const { description, details, value } = settings[name]
  const text = details === undefined ? sentence(description) : `${sentence(description)} ${details}`
  const cells = [namesOf(name), code(value), valueOrText(initialOf(name)), text.replaceAll("<", "\\<")]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}

const settingTable = (): string => {
  const named = settingNames.filter((name) => !isSecretFile(name))
  return ["| Setting | Value | Default | Description |", "|---|---|---|---|", ...named.map(settingRow)].join("\n")
}

/** The JSON Schema of the configuration file, for editors. The server validates more. */
const settingSchema = (): string => {
  const properties = settingNames.map((name) => {
    const description = `${sentence(settings[name].description)} Default: ${initialOf(name)}.`
    return [name, { description, ...(settings[name].parse.schema ?? textSchema) }]
  })
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration file of the Tapedeck server (tapedeck.yaml)",
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** Replaces the table that begins with the header line of `table`. */
const withTable = (path: string, table: string): string => {
  const text = read(path)
  const [header = ""] = table.split("\n")
  const start = text.indexOf(`${header}\n`)
  if (start === -1) throw new Error(`${path} has no table ${header}`)
  return text.slice(0, start) + table + text.slice(text.indexOf("\n\n", start))
}

/** The section of the operator's manual, without links, which lead nowhere in the package. */
const sectionOf = (heading: string): string => {
  const [, text] = read("docs/operating.md").split(`\n${heading}\n`)
  if (text === undefined) throw new Error(`docs/operating.md has no section ${heading}`)
  const level = heading.indexOf(" ")
  const [section = ""] = text.split(new RegExp(`^#{1,${level}} `, "m"))
  return section.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
}

const packagingReadme = (): string => `# Packaging

| File | Use |
|---|---|
| \`tapedeck.service\`, \`tapedeck.env\`, \`tapedeck.yaml\`, \`tapedeck\` | systemd unit, its variables, settings, and the command for operators |
| \`tapedeck.schema.json\` | JSON Schema of \`tapedeck.yaml\` |
| \`proxy/nginx.conf\`, \`proxy/Caddyfile\` | a proxy that terminates TLS |
| \`compose.yaml\` | one server on SQLite and a proxy that terminates TLS |
| \`cluster/compose.yaml\`, \`cluster/kubernetes.yaml\` | several nodes on PostgreSQL and S3 |
| \`overlay/kustomization.yaml\` | the values of one installation on Kubernetes |
| \`monitoring/tapedeck-rules.yaml\`, \`monitoring/tapedeck-dashboard.json\` | alerts for Prometheus, a dashboard for Grafana |

The operator's manual (\`docs/operating.md\`) describes all of them. This page is its text on installation, upgrade and alerts.

## Install under systemd

${sectionOf("### Under systemd")}

## Upgrade, and back

${sectionOf("## Upgrade, and back")}

## Alerts

${sectionOf("### Alerts")}
`

/** The files that are or contain generated text, by their path in the repository, as they must be. */
export const documents = (): Readonly<Record<string, string>> => ({
  "apps/server/packaging/README.md": packagingReadme(),
  "apps/server/packaging/tapedeck.schema.json": settingSchema(),
  "docs/operating.md": withTable("docs/operating.md", metricTable()),
  "docs/server.md": withTable("docs/server.md", settingTable())
})
