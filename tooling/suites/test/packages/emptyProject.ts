import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import type {} from "./tarballs.ts"

export const root = join(import.meta.dirname, "../../../..")

/** Every library that is published, by its folder in packages/. */
export const libraries = [
  "domain",
  "contract",
  "core",
  "fixtures",
  "http",
  "signing",
  "dispatcher",
  "storage",
  "client",
  "capture",
  "emulator",
  "testkit"
]

const pnpm = (cwd: string, args: ReadonlyArray<string>) =>
  promisify(execFile)(join(root, "node_modules/.bin/pnpm"), [...args], { cwd })

const tarballOf = (name: string) => join(inject("tarballs"), `${name}.tgz`)

/** Packs a package, which turbo.json has built before, unless a file of this run has done so. */
const pack = async (name: string): Promise<void> => {
  if (existsSync(tarballOf(name))) return
  const unfinished = `${tarballOf(name)}-${process.pid}`
  await pnpm(join(root, "packages", name), ["pack", "--out", unfinished])
  await rename(unfinished, tarballOf(name))
}

type Versions = Readonly<Record<string, string>>

interface Besides {
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  /** Of pnpm. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A project outside the workspace with packages of ours as they are published, in their tarballs. */
export interface EmptyProject {
  readonly path: string
  readonly tarballOf: (name: string) => string
  readonly remove: () => Promise<void>
}

/** Packs packages, and installs them with what else the project has. */
export const emptyProject = async (packages: ReadonlyArray<string>, besides: Besides = {}): Promise<EmptyProject> => {
  const { dependencies = {}, devDependencies = {}, settings = {} } = besides
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-packages-"))
  const path = join(folder, "project")
  await mkdir(path)
  for (const name of packages) await pack(name)
  const tarballs = Object.fromEntries(packages.map((name) => [`@tapedeck/${name}`, `file:${tarballOf(name)}`]))
  const manifest = { private: true, type: "module", dependencies: { ...dependencies, ...tarballs }, devDependencies }
  await writeFile(join(path, "package.json"), JSON.stringify(manifest))
  // The tarballs name each other by versions that no registry has yet.
  await writeFile(join(path, "pnpm-workspace.yaml"), JSON.stringify({ overrides: tarballs, ...settings }))
  await pnpm(path, ["install", "--prefer-offline"])
  return { path, tarballOf, remove: () => rm(folder, { recursive: true, force: true }) }
}
