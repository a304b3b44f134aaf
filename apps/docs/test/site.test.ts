import { existsSync } from "node:fs"
import { join } from "node:path"
import { startEmulator } from "@tapedeck/emulator"
import { beforeAll, expect, test } from "vitest"
import { llmsFull, llmsIndex } from "../src/llms.ts"
import { readMarkdown } from "../src/markdown.ts"
import { root } from "../src/pages.ts"
import type { OpenApiDocument } from "../src/reference.ts"
import { imagePath, makeSite, type Site } from "../src/site.ts"

const options = { base: "/docs/", sources: "https://example.com/blob/main" }

let site: Site
beforeAll(async () => {
  site = await makeSite(options)
})

const anchorsByPage = () => new Map(site.pages.map(({ body, path }) => [path, readMarkdown(body).anchors]))

test("every link of every page leads to a page of the site, its heading, a picture or another host", () => {
  const known = anchorsByPage()
  const images = new Set(site.images.map(imagePath))
  const problems = site.pages.flatMap(({ body, path }) =>
    readMarkdown(body).links.flatMap(({ target }) => {
      if (/^[a-z]+:/.test(target)) return []
      const [address = "", fragment] = target.split("#")
      if (images.has(address.slice(options.base.length))) return []
      const page = address === "" ? path : address.slice(options.base.length).replace(/\/$/, "")
      const isFound = known.has(page) && (fragment === undefined || known.get(page)?.has(fragment))
      return isFound ? [] : [`${path}: ${target}`]
    })
  )
  expect(problems).toEqual([])
})

test("links of pages in Markdown lead to pages in Markdown", () => {
  const home = site.pages.find(({ path }) => path === "")!
  expect(home.markdown).toContain("](/docs/test/five-minutes.md)")
  expect(home.body).toContain("](/docs/test/five-minutes/)")
})

test("a link to a file that is no page leads to the repository, or is its text if the repository has no address", async () => {
  const architecture = (pages: Site["pages"]) => pages.find(({ path }) => path === "how-it-works/architecture")!.body
  expect(architecture(site.pages)).toContain("](https://example.com/blob/main/packages/http/src/routes.ts)")
  const { pages } = await makeSite({ base: "/" })
  expect(architecture(pages)).toContain("3. **Route.** `http/src/routes.ts` matches the path")
})

test("a link whose text is the name of a file shows the title of its page", () => {
  expect(site.pages.flatMap(({ body }) => body.match(/\[[a-z]+\.md\]/) ?? [])).toEqual([])
})

test("every operation of the OpenAPI documents is on a page, with the meaning of each refusal", async () => {
  const reference = site.pages.filter(({ path }) => path.startsWith("reference/"))
  const text = reference.map(({ body }) => body).join("\n")
  const emulator = await startEmulator()
  for (const base of ["/api/v2", "/api/v1", "/api/settings", "/api/capture", "/_emulator"]) {
    const { paths } = (await (await emulator.fetch(`${base}/openapi.json`)).json()) as OpenApiDocument
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => {
        const address = path.startsWith(base) ? path : `${base}${path}`
        return `\`\`\`http\n${method.toUpperCase()} ${address}\n`
      })
    )
    expect(calls.length, base).toBeGreaterThan(1)
    expect(calls.filter((call) => !text.includes(call))).toEqual([])
  }
  expect(text).not.toMatch(/^\| `[45]\d\d` \| \w+ \|$/m)
  await emulator.close()
})

test("the files for agents name every page, with its description", () => {
  const index = llmsIndex(site, options)
  const full = llmsFull(site, options)
  for (const { description, markdown, path } of site.pages) {
    const address = `/docs/${path === "" ? "index" : path}.md`
    expect(index).toContain(`](${address}): ${description}`)
    expect(full).toContain(`Page: ${address}\n\n${markdown.trim()}`)
  }
})

test("pictures exist, and no two have the same name", () => {
  expect(site.images.filter((image) => !existsSync(join(root, image)))).toEqual([])
  expect(new Set(site.images.map(imagePath)).size).toBe(site.images.length)
})
