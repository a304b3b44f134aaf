import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Script } from "node:vm"

/** How much of a script was compiled when its code was kept: what a start runs, or what answers requests too. */
const stages = ["start", "use"] as const
type Stage = (typeof stages)[number]

interface Loaded {
  readonly script: Script
  /** Where its code is kept, but for the stage. */
  readonly path: string
  kept: Stage | null
}

/** A script as the build writes it (`tsdown.config.ts`): a comment with a digest of its text, then a function. */
type ScriptFunction = (exports: object, require: Load, module: object, filename: string, dirname: string) => void
type Load = (id: string) => unknown

/**
 * Loads the scripts of a folder with the code that an earlier start kept in `directory` (undefined: none is kept). Node's
 * compile cache has only what was compiled as a file was loaded, which leaves out every function that is compiled when
 * it is first called; here they are most of what a start has to compile.
 */
export const scripts = (folder: string, directory: string | undefined) => {
  const modules = new Map<string, { exports: object }>()
  const loaded: Array<Loaded> = []

  const read = (filename: string): Script => {
    // The build leaves nothing but ASCII in it, which V8 holds in one byte a letter.
    const source = readFileSync(filename, "latin1")
    if (directory === undefined) return new Script(source, { filename })
    const path = join(directory, `tapedeck-${source.slice(2, 18)}`)
    const found = keptCode(path)
    const script = new Script(source, { filename, ...(found !== null && { cachedData: found.code }) })
    loaded.push({ script, path, kept: script.cachedDataRejected === false ? found!.stage : null })
    return script
  }

  const load: Load = (id) => {
    if (!id.startsWith("./")) return process.getBuiltinModule(id)
    const known = modules.get(id)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(id, module)
    const filename = join(folder, id)
    const run = read(filename).runInThisContext() as ScriptFunction
    run(module.exports, load, module, filename, folder)
    return module.exports
  }

  /** Keeps what is compiled by now, where no earlier start kept as much. */
  const keep = (stage: Stage) => {
    for (const one of loaded) {
      if (one.kept === "use" || one.kept === stage) continue
      one.kept = stage
      write(`${one.path}.${stage}`, one.script.createCachedData())
    }
  }

  return { load, keep }
}

const keptCode = (path: string): { readonly code: Buffer; readonly stage: Stage } | null => {
  for (const stage of stages.toReversed()) {
    try {
      return { code: readFileSync(`${path}.${stage}`), stage }
    } catch {}
  }
  return null
}

/** The whole of it or nothing, whoever else writes it now. Where it cannot be written, the next start compiles again. */
const write = (path: string, code: Buffer) => {
  const unfinished = `${path}.${process.pid}`
  try {
    writeFileSync(unfinished, code, { mode: 0o600 })
    renameSync(unfinished, path)
  } catch {}
}
