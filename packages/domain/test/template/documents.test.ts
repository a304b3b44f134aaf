import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { defaultVariables, describeVariable, templateVariables } from "../../src/index.ts"
import { describeFilter, templateFilters } from "../../src/template/index.ts"

const document = readFileSync(new URL("../../../../docs/webhooks.md", import.meta.url), "utf8")

/** Returns the rows of the table between two comments, the header left out. */
const tableOf = (name: string): ReadonlyArray<string> => {
  const [, table = ""] = document.split(new RegExp(`<!-- /?${name} -->\n`))
  return table.trim().split("\n").slice(2)
}

it("docs/webhooks.md describes every variable, and says which the default payload has", () => {
  const isDefault = new Set(defaultVariables)
  expect(tableOf("variables")).toEqual(
    templateVariables.map(
      (name) => `| \`${name}\` | ${describeVariable(name).description}. | ${isDefault.has(name) ? "yes" : ""} |`
    )
  )
})

it("docs/webhooks.md describes every filter", () => {
  expect(tableOf("filters")).toEqual(templateFilters.map((name) => `| \`${name}\` | ${describeFilter(name)}. |`))
})
