/** `pnpm dev`: the server, which restarts when a source of it changes, and the console with hot reload before it. */
import { spawn } from "node:child_process"
import { createServer } from "vite"

const root = new URL("../../", import.meta.url)
const server = spawn(
  process.execPath,
  [
    "--watch",
    "--watch-preserve-output",
    "--conditions=source",
    "apps/server/src/main.ts",
    "serve",
    "--demo",
    "--data",
    ".tapedeck",
    ...process.argv.slice(2)
  ],
  { cwd: root, stdio: "inherit" }
)
const vite = await createServer({ root: import.meta.dirname })
await vite.listen()
vite.printUrls()

const stop = async () => {
  server.kill("SIGTERM")
  await vite.close()
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
server.once("exit", (code) => {
  process.exitCode = code ?? 0
  void vite.close()
})
