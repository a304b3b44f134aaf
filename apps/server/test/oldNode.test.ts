import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

/** What Node 18 lacks of what the command uses. */
const asNode18 =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}});" +
  "delete process.getBuiltinModule"

test("on a Node that is too old the command prints one line with instructions, and exits with 1", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const ended = await new Promise((resolve) =>
    execFile(process.execPath, ["--conditions=source", "--import", asNode18, main, "serve"], (error, out, err) =>
      resolve({ code: error?.code, out, err })
    )
  )
  expect(ended).toEqual({
    code: 1,
    out: "",
    err:
      "tapedeck needs Node.js 22.19 or newer, and this is 18.20.8: " +
      "install Node.js 24 from https://nodejs.org, or run `nvm install 24`\n"
  })
})
