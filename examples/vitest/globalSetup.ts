import { startEmulator } from "@tapedeck/emulator"
import type { TestProject } from "vitest/node"

/** One emulator for all test files. Each test has a world of its own in it. */
export default async ({ provide }: TestProject) => {
  const emulator = await startEmulator()
  provide("emulatorUrl", emulator.url)
  return () => emulator.close()
}

declare module "vitest" {
  export interface ProvidedContext {
    emulatorUrl: string
  }
}
