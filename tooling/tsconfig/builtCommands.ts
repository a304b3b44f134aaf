import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const build = ["run", "build", "--filter=@tapedeck/server", "--filter=@tapedeck/emulator", "--output-logs=errors-only"]

/** Environment of tests that start the same programs again and again: Node keeps their compiled code in one folder. */
export const keepsCompiled = { NODE_COMPILE_CACHE: `${root}node_modules/.cache/tapedeck/compiled` }

/**
 * vitest's settings for tests that start the commands of server and emulator. Each has a temporary directory of its own, where it would
 * compile everything again.
 */
export const builtCommands = { globalSetup: [fileURLToPath(import.meta.url)], env: keepsCompiled }

/**
 * Builds the commands of server and emulator, as they are published: they start in a third of the time that the sources need.
 * The global set-up of tests that start them. turbo builds them before a task `test`; vitest alone builds them here.
 */
export const setup = () => {
  if (process.env.TURBO_HASH === undefined)
    execFileSync("npx", ["--no", "turbo", ...build], { cwd: root, stdio: "pipe" })
}
