import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const server = fileURLToPath(new URL("../../apps/server", import.meta.url))

/**
 * The global set-up of tests that start the server: they start what is published, which takes half the time of a start
 * from source. turbo builds it before a task `test`; vitest alone builds it here.
 */
export const setup = () => {
  if (process.env.TURBO_HASH === undefined) execFileSync("npx", ["--no", "tsdown"], { cwd: server, stdio: "pipe" })
}
