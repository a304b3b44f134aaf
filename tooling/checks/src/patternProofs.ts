import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { checkSync } from "recheck"
import { root } from "./project.ts"

/** Why a regular expression is not proven to take linear time; null if it is. */
export type Doubt = string | null

/** A proof takes up to seconds, and depends on the pattern alone: it is cached for the next run. */
const cacheFile = join(root, "node_modules/.cache/tapedeck/patterns-4.5.0.json")

/** A doubt that depends on the load of the machine as well: the next run tries again. */
const timedOut = "not proven linear: timeout"

const readCache = (): Map<string, Doubt> => {
  try {
    const doubts = JSON.parse(readFileSync(cacheFile, "utf8")) as Record<string, Doubt>
    return new Map(Object.entries(doubts).filter(([, doubt]) => doubt !== timedOut))
  } catch {
    return new Map()
  }
}

const writeCache = (doubts: ReadonlyMap<string, Doubt>): void => {
  mkdirSync(dirname(cacheFile), { recursive: true })
  const written = `${cacheFile}.${process.pid}`
  writeFileSync(written, JSON.stringify(Object.fromEntries(doubts)))
  renameSync(written, cacheFile)
}

let cache: Map<string, Doubt> | undefined

/** Whether a regular expression takes linear time on every input, as far as its automaton shows (recheck). */
export const doubtAbout = (pattern: string, flags: string): Doubt => {
  // What repeats nothing takes a time that its own length limits.
  if (!/[*+{]/.test(pattern)) return null
  cache ??= readCache()
  const key = `/${pattern}/${flags}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const doubt = prove(pattern, flags)
  cache.set(key, doubt)
  writeCache(cache)
  return doubt
}

const prove = (pattern: string, flags: string): Doubt => {
  // The build that looks for no other program to run.
  const recheck = createRequire(import.meta.url)("recheck/lib/browser.js") as { checkSync: typeof checkSync }
  const found = recheck.checkSync(pattern, flags, { checker: "automaton", timeout: 120_000 })
  switch (found.status) {
    case "safe":
      return null
    case "vulnerable":
      return `${found.complexity.summary} time, as on ${found.attack.pattern}`
    case "unknown":
      return `not proven linear: ${"message" in found.error ? found.error.message : found.error.kind}`
  }
}
