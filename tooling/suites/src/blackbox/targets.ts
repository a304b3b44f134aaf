import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Emulator } from "../support/emulator.ts"
import { Server, type ServerOptions, type ServerStore } from "../support/server.ts"
import type { Target } from "../support/target.ts"

/** Names of targets: the emulator, and the server by its store. */
export type TargetNames = ReadonlyArray<"emulator" | ServerStore>

/** Targets of suites about data. The server in memory has the store of the emulator, and the host of the server on SQLite. */
export const onStores: TargetNames = ["emulator", "sqlite", "postgres"]
/** Targets of suites that no store affects. */
export const independent: TargetNames = ["emulator", "sqlite"]
export const everywhere: TargetNames = ["memory", ...onStores]
export const emulatorAlone: TargetNames = ["emulator"]

/** A file in a subject's folder. */
interface SuiteFile {
  readonly targets: TargetNames
  /** Options of the servers that it runs on. */
  readonly server?: ServerOptions
  readonly suite: (target: Target) => void
  /** Runs on the emulator, whose clock it moves. */
  readonly suiteOnClock?: (target: Target) => void
}

/** Folders of suites, by subject. */
export const subjects: ReadonlyArray<string> = readdirSync(import.meta.dirname).filter((name) => !name.includes("."))

/** Runs each suite of a subject on its targets. Suites that need the same options of the server share a target. */
export const runSuites = async (subject: string): Promise<void> => {
  const targets = new Map<string, Target>()
  const targetOf = (name: TargetNames[number], options: ServerOptions = {}): Target => {
    const key = name === "emulator" ? name : JSON.stringify([name, options])
    const target = targets.get(key) ?? (name === "emulator" ? new Emulator() : new Server(name, options))
    targets.set(key, target)
    return target
  }
  const folder = join(import.meta.dirname, subject)
  for (const name of readdirSync(folder).toSorted()) {
    const file = (await import(pathToFileURL(join(folder, name)).href)) as SuiteFile
    for (const target of file.targets) file.suite(targetOf(target, file.server))
    file.suiteOnClock?.(targetOf("emulator"))
  }
}
