import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { chromium } from "playwright-core"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly browser: string
    readonly emulator: string
  }
}

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The commands, which serve the built console; one browser and one emulator, for all tests. */
export const setup = async (project: TestProject) => {
  buildCommands()
  const emulator = spawn(
    process.execPath,
    [from("../../../../packages/emulator/dist/main.js"), "--port", "0", "--json"],
    { stdio: ["ignore", "pipe", "ignore"] }
  )
  const line = await new Promise<string>((resolve, reject) => {
    emulator.stdout.once("data", (data: Buffer) => resolve(data.toString()))
    emulator.once("exit", () => reject(new Error("the emulator has ended")))
  })
  const browser = await chromium.launchServer({
    executablePath: "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
      // A screen, a microphone and a camera that show a pattern, and allow themselves.
      ...["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream=fps=5"]
    ]
  })
  project.provide("emulator", (JSON.parse(line) as { readonly base_url: string }).base_url)
  project.provide("browser", browser.wsEndpoint())
  return async () => {
    await browser.close()
    emulator.kill()
  }
}
