import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../..")
const run = promisify(execFile)

/** The projects beside this file, in a folder outside the workspace, with this package installed as it is published. */
export const installInProjects = async () => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-emulator-"))
  const installed = join(folder, "node_modules/@tapedeck/emulator")
  await cp(join(import.meta.dirname, "projects"), folder, { recursive: true })
  await mkdir(installed, { recursive: true })
  await writeReadmeExamples(folder)
  const build = ["--out-dir", join(installed, "dist"), "--log-level", "error"]
  await run(join(root, "../../node_modules/.bin/tsdown"), build, { cwd: root })
  const { exports: _, publishConfig, ...manifest } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
  await writeFile(join(installed, "package.json"), JSON.stringify({ ...manifest, exports: publishConfig.exports }))
  return {
    folder,
    /** Has the projects bring along a package that this one has as a dev dependency. */
    bring: async (name: string) => {
      const place = join(folder, "node_modules", name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(join(root, "node_modules", name), place)
    },
    remove: () => rm(folder, { recursive: true })
  }
}

/** The README's code for each runner, where that runner finds it. */
const writeReadmeExamples = async (folder: string) => {
  const readme = await readFile(join(root, "README.md"), "utf8")
  const code = (name: string) => {
    const [, found] = new RegExp(`^\`\`\`[jt]s\\n// ${name}\\n([^]*?)^\`\`\`$`, "m").exec(readme) ?? []
    if (found === undefined) throw new Error(`the README has no ${name}`)
    return found
  }
  await writeFile(join(folder, "vitest/readme.test.ts"), code("delivery.test.ts"))
  await writeFile(join(folder, "jest/readme.test.mjs"), code("delivery.test.mjs"))
  await writeFile(join(folder, "types/readmeVitest.mts"), code("delivery.test.ts"))
  await writeFile(join(folder, "types/readmeEffect.mts"), code("delivery.effect.ts"))
}
