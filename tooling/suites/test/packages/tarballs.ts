import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the tarballs that all files of a run install. */
    readonly tarballs: string
  }
}

/** Global set-up: a folder for tarballs, which ends with the run. */
export const setup = async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-tarballs-"))
  project.provide("tarballs", folder)
  return () => rm(folder, { recursive: true, force: true })
}
