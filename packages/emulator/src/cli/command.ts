import { showSources } from "@tapedeck/core/sourceStacks"
import packageJson from "../../package.json" with { type: "json" }
import { exitCodes, parseCommandLine, usage } from "./commandLine.ts"
import { explain } from "./explain.ts"

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
