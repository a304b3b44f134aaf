import type { Written } from "../config/Config.ts"
import { type Following, parseCommandLine } from "./commandLine.ts"
import { explain } from "./explain.ts"
import { exitCodes, usage } from "./usage.ts"

/** Runs the command line. Prints errors to standard error and sets the exit code. */
export const command = async (args: ReadonlyArray<string>, version: string): Promise<void> => {
  try {
    await follow(args, version)
  } catch (error) {
    const explained = explain(error)
    if (explained === null) console.error(error)
    else process.stderr.write(`tapedeck: ${explained.text}\n`)
    process.exitCode = explained?.code ?? exitCodes.fault
  }
}

const follow = async (args: ReadonlyArray<string>, version: string): Promise<void> => {
  const parsed = parseCommandLine(args)
  if (parsed.command === "help") return void process.stdout.write(usage)
  if (parsed.command === "version") return void process.stdout.write(`${version}\n`)
  const written = await writtenBy(parsed)
  switch (parsed.command) {
    case "serve": {
      const { run } = await import("../run.ts")
      return run(written, parsed.start)
    }
    case "key rotate": {
      const { rotateKey } = await import("../key/rotate.ts")
      return rotateKey(written)
    }
    case "audit verify": {
      const { verify } = await import("../audit/verify.ts")
      if (!(await verify(written, parsed.verify))) process.exitCode = exitCodes.audit
      return
    }
    default: {
      const { operate } = await import("./operate.ts")
      process.exitCode = await operate(parsed.command, written, parsed.arguments)
    }
  }
}

/** The operator's input, with the file of `--config` or `TAPEDECK_CONFIG`. */
const writtenBy = async ({ config, options }: Following): Promise<Written> => {
  const environment = process.env
  const path = config ?? (environment.TAPEDECK_CONFIG || undefined)
  if (path === undefined) return { options, environment }
  const { readConfigFile } = await import("../config/configFile.ts")
  return { options, environment, file: readConfigFile(path) }
}
