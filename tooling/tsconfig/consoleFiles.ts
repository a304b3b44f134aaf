import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const directory = fileURLToPath(new URL("../../apps/console/", import.meta.url))

/** The console's built files, for the packages that bring them along. turbo builds them before; this does without turbo. */
export const consoleFiles = (): string => {
  execFileSync(process.execPath, [`${directory}build.ts`], { stdio: ["ignore", "inherit", "inherit"] })
  return `${directory}dist`
}
