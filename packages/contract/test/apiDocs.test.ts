import { expect, it } from "vitest"
import { apiDocs, openApiCapture, openApiSettings, openApiV1, openApiV2 } from "../src/index.ts"

const documents = {
  v2: openApiV2({ vendor: "Tapedeck" }),
  v1: openApiV1({ vendor: "Tapedeck" }),
  settings: openApiSettings({ vendor: "Tapedeck" }),
  capture: openApiCapture({ vendor: "Tapedeck" })
}
const page = apiDocs(documents)

it("the API docs show every operation and schema of all APIs", () => {
  for (const [version, document] of Object.entries(documents)) {
    for (const operations of Object.values(document.paths)) {
      for (const { operationId } of Object.values(operations)) expect(page).toContain(`id="${version}-${operationId}"`)
    }
    for (const name of Object.keys(document.components.schemas)) expect(page).toContain(`id="${version}-${name}"`)
  }
})

it("the API docs show the webhooks of v2, with their headers, payloads and examples", () => {
  for (const { post } of Object.values(documents.v2.webhooks!)) {
    expect(page).toContain(`id="v2-${post!.operationId}"`)
    for (const { name } of post!.parameters) expect(page).toContain(`<code>${name}</code>`)
  }
  expect(page).toContain("URL of the receiver")
})

it("the API docs have no broken link", () => {
  const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(links.length).toBeGreaterThan(40)
  expect(links.filter((link) => !targets.has(link))).toEqual([])
})

it("the API docs need neither scripts nor a network", () => {
  expect(page).not.toMatch(/<script|<link|<img|@import|url\(|(src|href)="(https?:)?\/\//)
})

it("the API docs escape the texts of a document", () => {
  const info = { ...documents.v2.info, title: "<b>&" }
  expect(apiDocs({ ...documents, v2: { ...documents.v2, info } })).not.toContain("<b>")
})
