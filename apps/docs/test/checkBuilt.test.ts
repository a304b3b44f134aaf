import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { checkBuilt } from "../src/checkBuilt.ts"

const problemsOf = (html: string): ReadonlyArray<string> => {
  const dist = mkdtempSync(join(tmpdir(), "tapedeck-site-"))
  onTestFinished(() => rmSync(dist, { recursive: true }))
  writeFileSync(join(dist, "index.html"), `<h1 id="_top">Title</h1>${html}`)
  writeFileSync(join(dist, "a.png"), "")
  return checkBuilt(dist, "/docs/")
}

test("links to pages, headings, files and other hosts are no problems of a built site", () => {
  const links = ["/docs/", "/docs/#_top", "#_top", "/docs/a.png", "https://example.com/"]
  expect(problemsOf(links.map((href) => `<a href="${href}">x</a>`).join(""))).toEqual([])
})

test("a link that leads nowhere is a problem of a built site, as is a file that another host serves", () => {
  expect(problemsOf('<a href="/docs/b/">')).toEqual(["index.html: /docs/b/: leads nowhere"])
  expect(problemsOf('<a href="/a.png">')).toEqual(["index.html: /a.png: is not below the base"])
  expect(problemsOf('<a href="#b">')).toEqual(["index.html: #b: has no such heading"])
  const script = '<script src="https://example.com/a.js">'
  expect(problemsOf(script)).toEqual([`index.html: loads from another host: ${script}`])
})
