import { parseCommandLine } from "./commandLine.ts"
import { explain } from "./explain.ts"
import { exitCodes, usage } from "./usage.ts"

/** Does what the command line says; what it cannot do it says on standard error, with an exit code. */
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
  const asked = parseCommandLine(args)
  const environment = process.env
  switch (asked.command) {
    case "help":
      return void process.stdout.write(usage)
    case "version":
      return void process.stdout.write(`${version}\n`)
    case "serve": {
      const { run } = await import("../run.ts")
      return run({ options: asked.options, environment }, asked.start)
    }
    case "key rotate": {
      const { rotateKey } = await import("../key/rotate.ts")
      return rotateKey({ options: asked.options, environment })
    }
    case "audit verify": {
      const { verify } = await import("../audit/verify.ts")
      if (!(await verify({ options: asked.options, environment }, asked.verify))) process.exitCode = exitCodes.audit
      return
    }
  }
}
