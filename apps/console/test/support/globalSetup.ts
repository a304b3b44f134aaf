import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly emulator: string
  }
}

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The commands, which serve the built console, and one emulator for all tests. */
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
  project.provide("emulator", (JSON.parse(line) as { readonly base_url: string }).base_url)
  return () => emulator.kill()
}
