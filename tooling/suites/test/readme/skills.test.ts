import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../../../..")
const skills = globSync(["packages/*/skills/*/SKILL.md", "apps/*/skills/*/SKILL.md"], { cwd: root }).toSorted()
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The documents whose examples run as tests. */
const documents = globSync(["packages/*/README.md", "apps/*/README.md", "docs/*.md"], { cwd: root }).map(read)

test("four packages have a skill for coding agents", () => {
  expect(skills.map((path) => basename(dirname(path)))).toEqual([
    "operate-server",
    "call-api",
    "test-with-emulator",
    "receive-webhooks"
  ])
})

test.each(skills)("%s has what TanStack Intent and skills-npm require, and is in the package", (path) => {
  const text = read(path)
  const [, header = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  const [, name] = /^name: (.*)$/m.exec(header) ?? []
  const [, description = ""] = /^description: >-\n((?: {2}.*\n?)+)/m.exec(header) ?? []
  expect(name).toBe(basename(dirname(path)))
  expect(description.length).toBeGreaterThan(50)
  expect(description.length).toBeLessThanOrEqual(1_024)
  expect(text.split("\n").length).toBeLessThanOrEqual(500)
  const manifest = JSON.parse(read(join(dirname(path), "../../package.json"))) as {
    readonly files: ReadonlyArray<string>
    readonly keywords: ReadonlyArray<string>
  }
  expect(manifest.files).toContain("skills")
  expect(manifest.keywords).toContain("tanstack-intent")
})

test.each(skills)("each example of %s stands in a document whose examples are run", (path) => {
  const blocks = [...read(path).matchAll(/^```\w+\n[\s\S]*?^```$/gm)].map(([block]) => block)
  expect(blocks.length).toBeGreaterThan(0)
  expect(blocks.filter((block) => !documents.some((text) => text.includes(block)))).toEqual([])
})

test.each(skills)("each link of %s leads to a file of its package", (path) => {
  const folder = dirname(path)
  const manifest = JSON.parse(read(join(folder, "../../package.json"))) as { readonly files: ReadonlyArray<string> }
  const targets = [...read(path).matchAll(/\]\(([^)]+)\)/g)].map(([, target]) =>
    relative(join(root, folder, "../.."), join(root, folder, target!))
  )
  const inPackage = [...manifest.files, "README.md"]
  expect(targets.filter((target) => !inPackage.some((one) => target === one || target.startsWith(`${one}/`)))).toEqual(
    []
  )
  for (const target of targets) expect(read(join(folder, "../..", target)).length).toBeGreaterThan(0)
})
