import { showSources } from "@tapedeck/core/sourceStacks"
import packageJson from "../../package.json" with { type: "json" }
import { exitCodes, parseCommandLine, usage } from "./commandLine.ts"
import { explain } from "./explain.ts"
import type { Code } from "./run.ts"

/** The command `tapedeck-emulator`: ends the process itself, with an exit code of the usage, when it fails. */
export const command = async (args: ReadonlyArray<string>, code: Code): Promise<void> => {
  try {
    const line = parseCommandLine(args)
    if (line.help) return void process.stdout.write(usage)
    if (line.version) return void process.stdout.write(`${packageJson.version}\n`)
    const { run } = await import("./run.ts")
    // After Effect is loaded, which looks at stacks as it starts.
    showSources()
    await run(line, code)
  } catch (error) {
    const explained = explain(error)
    if (explained === null) console.error(error)
    else process.stderr.write(`tapedeck-emulator: ${explained.text}\n`)
    process.exit(explained?.code ?? exitCodes.fault)
  }
}
