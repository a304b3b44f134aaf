import { cannotListen, type ListenError } from "@tapedeck/core/command"
import { showSources } from "@tapedeck/core/sourceStacks"
import packageJson from "../../package.json" with { type: "json" }
import { exitCodes, parseCommandLine, UsageError, usage } from "./commandLine.ts"
import { FixturesRefused } from "./fixturesFile.ts"

/** The command `tapedeck-emulator`. On a failure it ends the process with a documented exit code. */
export const command = async (args: ReadonlyArray<string>): Promise<void> => {
  try {
    const line = parseCommandLine(args)
    if (line.help) return void process.stdout.write(usage)
    if (line.version) return void process.stdout.write(`${packageJson.version}\n`)
    const { run } = await import("./run.ts")
    // After Effect is loaded, because it inspects stacks while it loads.
    showSources()
    await run(line)
  } catch (error) {
    const explained = explain(error)
    if (explained === null) console.error(error)
    else process.stderr.write(`tapedeck-emulator: ${explained.text}\n`)
    process.exit(explained?.code ?? exitCodes.fault)
  }
}

/** The message and exit code of an expected error; null for a defect, which prints its stack. */
const explain = (error: unknown): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) {
    return { text: `${error.message}\nSee tapedeck-emulator --help.`, code: exitCodes.usage }
  }
  if (error instanceof FixturesRefused) {
    const count = error.problems.length
    const heading = count === 1 ? "" : `${count} errors in the fixtures\n`
    return { text: `${heading}${error.message}`, code: exitCodes.fixtures }
  }
  const { syscall } = error as NodeJS.ErrnoException
  return syscall === "listen" || syscall === "getaddrinfo"
    ? { text: cannotListen(error as ListenError, (setting) => `--${setting}`), code: exitCodes.listen }
    : null
}
