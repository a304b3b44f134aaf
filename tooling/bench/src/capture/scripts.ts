import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { build } from "rolldown"

const bench = join(import.meta.dirname, "../..")
const tapedeckConsole = join(bench, "../../apps/console")

/** The scripts of ours and of the peers, each one minified file that is no module. */
export interface Scripts {
  readonly tapedeck: string
  /** The module that `capture.js` imports when a person records. */
  readonly redactor: string
  readonly sentry: string
  readonly posthog: string
}

/** `capture.js` as hosts serve it, and the peers bundled with what their documentation has bundlers leave out. */
export const buildScripts = async (): Promise<Scripts> => {
  installOnDemand(join(bench, "ondemand"))
  execFileSync(process.execPath, [join(tapedeckConsole, "build.ts")], { stdio: "ignore" })
  return {
    tapedeck: readFileSync(join(tapedeckConsole, "dist/capture.js"), "utf8"),
    redactor: readFileSync(join(tapedeckConsole, "dist/capture-redactor.js"), "utf8"),
    sentry: await bundle("sentry"),
    posthog: await bundle("posthog")
  }
}

const bundle = async (peer: string): Promise<string> => {
  const { output } = await build({
    input: join(bench, `ondemand/capture/${peer}.ts`),
    platform: "browser",
    logLevel: "silent",
    transform: { define: { __SENTRY_DEBUG__: "false", __SENTRY_TRACING__: "false" } },
    write: false,
    output: { format: "iife", minify: true, codeSplitting: false }
  })
  return output[0].code
}

/** Bytes on the way, compressed as well as gzip can. */
export const gzipBytes = (script: string): number => gzipSync(script, { level: 9 }).length
