import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { placesIn, readConfig, type Written } from "../config/Config.ts"
import { type Following, parseCommandLine, UsageError } from "./commandLine.ts"
import { explain } from "./explain.ts"
import { exitCodes, usageOf } from "./usage.ts"

/** Runs the command line. Prints errors to standard error and sets the exit code. */
export const command = async (args: ReadonlyArray<string>, version: string): Promise<void> => {
  let [written, help]: [Written, string] = [{ options: {}, environment: process.env }, "tapedeck --help"]
  try {
    const parsed = parseCommandLine(args)
    if (parsed.command === "help") return void process.stdout.write(usageOf(parsed.of))
    if (parsed.command === "version") return void process.stdout.write(`${version}\n`)
    help = `tapedeck ${parsed.command} --help`
    written = await writtenBy(parsed)
    const { connectAttemptMs } = await import("@tapedeck/domain/internal/time")
    // The limit holds for every connection of the process: to databases, mail servers, providers, receivers, stores of files and collectors.
    setDefaultAutoSelectFamilyAttemptTimeout(connectAttemptMs)
    await follow(parsed, written)
  } catch (error) {
    const explained = explain(error, placesIn(written))
    const isUsage = error instanceof UsageError || (written.problems ?? []).length > 0
    if (explained === null) console.error(error)
    else process.stderr.write(`tapedeck: ${explained.text}\n${isUsage ? `See ${help}.\n` : ""}`)
    process.exitCode = explained?.code ?? exitCodes.fault
  }
}

const follow = async (parsed: Following, written: Written): Promise<void> => {
  switch (parsed.command) {
    case "serve": {
      const { run } = await import("../serve/run.ts")
      return run(written, parsed.start)
    }
    case "key rotate": {
      const { rotateKey } = await import("../config/key/rotate.ts")
      return rotateKey(written)
    }
    case "audit verify": {
      const { verify } = await import("../doctor/audit/verify.ts")
      if (!(await verify(written, parsed.verify))) process.exitCode = exitCodes.audit
      return
    }
    default: {
      // Before the command looks at arguments of its own.
      if (parsed.problems.length > 0 && parsed.command !== "config") readConfig(written)
      const { operate } = await import("./operate.ts")
      process.exitCode = await operate(parsed.command, written, parsed.arguments)
    }
  }
}

/** The operator's input, with the file of `--config` or `TAPEDECK_CONFIG`. */
const writtenBy = async ({ config, options, problems }: Following): Promise<Written> => {
  const environment = process.env
  const path = config ?? (environment.TAPEDECK_CONFIG || undefined)
  if (path === undefined) return { options, environment, problems }
  const { readConfigFile } = await import("../config/configFile.ts")
  return { options, environment, problems, file: readConfigFile(path) }
}
