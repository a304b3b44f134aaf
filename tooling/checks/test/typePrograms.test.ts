import { expect, it } from "vitest"
import { packagesAmong, projectFiles } from "../src/project.ts"
import { typePrograms } from "../src/typePrograms.ts"

const files = projectFiles()
const programs = typePrograms(files)
const programOf = (directory: string) => programs.find(({ directories }) => directories.includes(directory))

it("checks each package's types in one program", () => {
  const typed = packagesAmong(files).filter(({ manifest }) => manifest.scripts?.typecheck !== undefined)
  const checked = programs.flatMap(({ directories }) => directories)
  expect(checked).toHaveLength(new Set(checked).size)
  expect(checked).toEqual(expect.arrayContaining(typed.map(({ directory }) => directory)))
})

it("keeps the DOM's types from packages that do not name them", () => {
  expect(programOf("packages/domain")?.project.compilerOptions?.lib).toBeUndefined()
  expect(programOf("tooling/suites")?.project.compilerOptions?.lib).toContain("DOM")
  expect(programOf("packages/domain")?.directories).toContain("packages/core")
})
