import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { brokenLinks, documentOf } from "../src/links.ts"
import { leftOut, root, sourcePages } from "../src/pages.ts"

const isPublic = (readme: string): boolean =>
  JSON.parse(readFileSync(join(root, readme, "../package.json"), "utf8")).private !== true

/** Every document of docs/, and the README of every package that is published. */
const documents = [
  ...globSync("docs/**/*.md", { cwd: root }),
  ...globSync("{apps,packages}/*/README.md", { cwd: root }).filter(isPublic)
].toSorted()

test("every document of docs/ and every public README is a page of the site, or named as left out", () => {
  const named = new Set([...sourcePages.map(({ source }) => source), ...Object.keys(leftOut)])
  expect(documents.filter((document) => !named.has(document))).toEqual([])
})

test("every page has its own path and its own source", () => {
  const paths = sourcePages.map(({ path }) => path)
  expect(paths).toEqual([...new Set(paths)])
  const sources = sourcePages.map(({ source }) => source)
  expect(sources).toEqual([...new Set(sources)])
})

test("every relative link leads to a file, and its fragment to a heading", () => {
  const sources = new Set([...sourcePages.map(({ source }) => source), ...Object.keys(leftOut), ...documents])
  expect([...sources].flatMap(brokenLinks)).toEqual([])
})

test("every page begins with a title and a sentence that describes it", () => {
  const problems = sourcePages.flatMap(({ source }) => {
    const { opening, title } = documentOf(source)
    if (title === undefined) return [`${source}: begins with no title`]
    const [sentence] = opening ?? []
    if (sentence === undefined) return [`${source}: has no paragraph after its title`]
    if (!sentence.endsWith(".")) return [`${source}: its first sentence ends with no full stop: ${sentence}`]
    return sentence.length > 250 ? [`${source}: its first sentence has more than 250 characters`] : []
  })
  expect(problems).toEqual([])
})
