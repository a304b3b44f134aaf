#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import packageJson from "../package.json" with { type: "json" }
import { exitCodes, parseCommandLine, usage } from "./cli/commandLine.ts"
import { explain } from "./cli/explain.ts"

const main = async (args: ReadonlyArray<string>) => {
  const command = parseCommandLine(args)
  if (command.help) return void process.stdout.write(usage)
  if (command.version) return void process.stdout.write(`${packageJson.version}\n`)
  // Before the rest is loaded: the next start finds it compiled.
  enableCompileCache()
  // Loading many recordings teaches V8 that what is made lives long: from then on it would put what each request makes
  // where it is dear to collect, which costs a fifth of what a request costs.
  setFlagsFromString("--no-allocation-site-pretenuring")
  // The room for what is made and soon gone stays small: growing it with the load takes 50 MB and answers no faster.
  setFlagsFromString("--semi-space-growth-factor=1")
  const { run } = await import("./cli/run.ts")
  await run(command)
  // Now, when it listens, and not when it ends: many are ended without being asked.
  flushCompileCache()
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const explained = explain(error)
  if (explained === null) console.error(error)
  else process.stderr.write(`tapedeck-emulator: ${explained.text}\n`)
  process.exit(explained?.code ?? exitCodes.fault)
})
