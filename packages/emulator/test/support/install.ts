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
