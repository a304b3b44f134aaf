/** `pnpm build:programs`: the commands as files that need no Node. */
import { realpathSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { buildProgram, isProgram, programs } from "./buildProgram.ts"

const usage = `npx pnpm -s build:programs [options]

  --only NAME     ${Object.keys(programs).join(" or ")}; can be repeated. Both by default
  --out DIR       folder of the programs (default dist/)
  --node FILE     Node's executable of the target system, 24.8 or newer, with its
                  LICENSE in the folder above (default: the Node that runs this)
  --help          this text`

const readOptions = () => {
  try {
    return parseArgs({
      options: {
        only: { type: "string", multiple: true, default: Object.keys(programs) },
        out: { type: "string", default: "dist" },
        node: { type: "string", default: process.execPath },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (cause) {
    console.error(`${(cause as Error).message}\n\n${usage}`)
    return process.exit(2)
  }
}

const { help, node, only, out } = readOptions()
if (help) {
  console.log(usage)
  process.exit()
}
for (const name of only) {
  if (!isProgram(name)) {
    console.error(`--only: ${name} is no program\n\n${usage}`)
    process.exit(2)
  }
  const output = resolve(join(out, name))
  buildProgram(name, { node: realpathSync(node), output })
  console.log(`${output}  ${Math.ceil(statSync(output).size / 1e6)} MB`)
}
