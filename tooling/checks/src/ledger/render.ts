import type { Ledger, Proof, Row } from "./Ledger.ts"
import { ownChoices, specification } from "./specification.ts"

const introduction = `# Fidelity

What the service does, row by row: each endpoint and table row of the specification, each decision where the specification is silent
or contradicts itself, and the choices of our own that a user can see. Each row names the tests that prove it; \`pnpm check\` fails
when a row's test does not exist, and \`pnpm test\` when it did not pass. This page is generated from [fidelity.json](fidelity.json) by
\`npx pnpm -s fidelity\`.

- **specified**: the specification says so.
- **evidence**: public documentation or public clients of services of this kind show it.
- **assumed**: not specified; this is our choice.

A *setting* changes the behaviour, on the emulator and on the server.
`

const sections = [...specification.map(({ title }) => title), ownChoices]

/** The Markdown page. */
export const renderLedger = ({ rows }: Ledger): string => {
  const tables = sections.map((title) =>
    table(
      title,
      rows.filter((row) => row.section === title)
    )
  )
  return `${[introduction, counts(rows), ...tables].join("\n")}`
}

const counts = (rows: ReadonlyArray<Row>): string => {
  const of = (status: string) => rows.filter((row) => row.status === status).length
  return `${rows.length} rows: ${of("specified")} specified, ${of("evidence")} by evidence, ${of("assumed")} assumed.\n`
}

const table = (title: string, rows: ReadonlyArray<Row>): string =>
  [
    `## ${title}`,
    "",
    "| | What it does | Status | Setting | Proved by |",
    "|---|---|---|---|---|",
    ...rows.map(
      ({ id, text, status, setting, tests }) =>
        `| ${cell(id)} | ${cell(text)} | ${status} | ${cell(setting ?? "")} | ${tests.map(link).join("<br>")} |`
    ),
    ""
  ].join("\n")

const link = ({ file, title }: Proof): string => `[${file.split("/").at(-1)}](../${file}): ${cell(title)}`

/** Escapes Markdown, except code between backticks. */
const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replaceAll("*", "\\*")
    .replaceAll("_", "\\_")
    .replaceAll("$", "\\$")

export const stalePage = "is out of date: npx pnpm -s fidelity"
