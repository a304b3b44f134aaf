import { cpSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readFences } from "@tapedeck/tsconfig/fences.ts"

const root = join(import.meta.dirname, "../..")

/** Packages that a project has besides the emulator, by name: the folder of each. */
export type Besides = Readonly<Record<string, string>>

/** A package that this one has as a dev dependency. */
export const ownDependency = (name: string): string => join(root, "node_modules", name)

/** A package of the folder `ondemand`. */
export const onDemandPackage = (name: string): string => join(root, "ondemand/node_modules", name)

/** Copies a built package of the workspace as it is published: its `dist` and its manifest. */
const copyPublished = async (name: string, into: string) => {
  const from = join(root, "..", name)
  // A quarter of the processor time that `cp` takes for 700 files.
  cpSync(join(from, "dist"), join(into, "dist"), { recursive: true })
  const { publishConfig, ...manifest } = JSON.parse(await readFile(join(from, "package.json"), "utf8"))
  await writeFile(join(into, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }))
}

/**
 * The projects beside this file, outside the workspace, with the emulator and what it depends on installed. turbo, or the set-up
 * of vitest, has built them.
 */
export const publishedPackage = async () => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-emulator-"))
  const install = async (besides: Besides): Promise<string> => {
    const projects = await mkdtemp(join(folder, "projects-"))
    await cp(join(import.meta.dirname, "projects"), projects, { recursive: true })
    for (const name of ["signing", "client", "emulator"]) {
      await copyPublished(name, join(projects, "node_modules/@tapedeck", name))
    }
    await writeReadmeExamples(projects)
    for (const [name, from] of Object.entries(besides)) {
      const place = join(projects, "node_modules", name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(from, place)
    }
    return projects
  }
  const installs = new Map<string, Promise<string>>()
  return {
    /** Installs the package and `besides`, once for the same `besides`; gives the folder of the projects. */
    install: (besides: Besides = {}): Promise<string> => {
      const key = JSON.stringify(besides)
      const projects = installs.get(key) ?? install(besides)
      installs.set(key, projects)
      return projects
    },
    remove: () => rm(folder, { recursive: true })
  }
}

/** The README's code for each runner, where that runner finds it. */
const writeReadmeExamples = async (folder: string) => {
  await mkdir(join(folder, "vitest/shared"))
  const fences = [
    ...readFences("packages/emulator/README.md", "ts"),
    ...readFences("packages/emulator/README.md", "js", "// delivery.test.mjs")
  ]
  const code = (name: string) => {
    const found = fences.find((fence) => fence.code.startsWith(`// ${name}\n`))
    if (found === undefined) throw new Error(`the README has no ${name}`)
    return found.code
  }
  await writeFile(join(folder, "vitest/override.test.ts"), code("delivery.test.ts"))
  await writeFile(join(folder, "vitest/withEmulator.test.ts"), code("withEmulator.test.ts"))
  await writeFile(join(folder, "vitest/globalSetup.ts"), code("globalSetup.ts"))
  await writeFile(join(folder, "vitest/shared/shared.test.ts"), code("shared.test.ts"))
  await writeFile(join(folder, "types/readmeGlobalSetup.mts"), code("globalSetup.ts"))
  await writeFile(join(folder, "types/readmeShared.mts"), code("shared.test.ts"))
  await writeFile(join(folder, "jest/readme.test.mjs"), code("delivery.test.mjs"))
  await writeFile(join(folder, "types/readmeVitest.mts"), code("delivery.test.ts"))
  await writeFile(join(folder, "typesWithoutOverride/readmeVitest.mts"), code("withEmulator.test.ts"))
  await writeFile(join(folder, "types/readmeEffect.mts"), code("delivery.effect.ts"))
}
