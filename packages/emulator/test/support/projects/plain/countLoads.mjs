// Imported before a program: prints what it had loaded when it ends.
import { statSync, writeSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

const loads = { files: 0, bytes: 0 }
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith("file:")) {
      loads.files += 1
      loads.bytes += statSync(fileURLToPath(url)).size
    }
    return next(url, context)
  }
})
process.on("exit", () => writeSync(2, `${JSON.stringify(loads)}\n`))
