import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { scripts } from "../src/packaged/scripts.ts"

let folder: string
let kept: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tapedeck-scripts-"))
  kept = join(folder, "kept")
  mkdirSync(kept)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As the build writes them. */
const write = (name: string, digest: string, body: string) =>
  writeFileSync(
    join(folder, name),
    `/*${digest.padEnd(16, "0")}*/(function(exports,require,module,__filename,__dirname){${body}\n})`
  )

interface Main {
  readonly greeting: () => string
}

const startIn = (directory: string | undefined) => {
  const loaded = scripts(folder, directory)
  return { ...loaded, greeting: (loaded.load("./main.cjs") as Main).greeting() }
}
const start = () => startIn(kept)

describe("The command's scripts", () => {
  beforeEach(() => {
    write("name.cjs", "a1", `exports.name = require("node:path").basename("/to/Ada")`)
    write("main.cjs", "b1", `const one = require("./name.cjs"); exports.greeting = () => "Hello " + one.name`)
  })

  test("use each other, and Node's modules", () => {
    expect(start().greeting).toBe("Hello Ada")
  })

  test("are each run once", () => {
    const { load } = start()
    expect(load("./name.cjs")).toBe(load("./name.cjs"))
  })

  test("keep their code by stage, which the next start does with", () => {
    const first = start()
    expect(readdirSync(kept)).toEqual([])
    first.keep("start")
    expect(readdirSync(kept)).toEqual(["tapedeck-a100000000000000.start", "tapedeck-b100000000000000.start"])
    first.keep("use")
    expect(readdirSync(kept)).toHaveLength(4)
    rmSync(join(kept, "tapedeck-a100000000000000.use"))
    const next = start()
    next.keep("start")
    expect(next.greeting).toBe("Hello Ada")
    expect(readdirSync(kept)).toHaveLength(3)
    next.keep("use")
    expect(readdirSync(kept)).toHaveLength(4)
  })

  test("are compiled again, and kept, where the code is another's or damaged", () => {
    start().keep("start")
    const another = readFileSync(join(kept, "tapedeck-b100000000000000.start"))
    for (const [index, wrong] of [Buffer.from("damaged"), another].entries()) {
      // A text of its own each time: what V8 has compiled in this process it does not look for.
      const name = `Ada ${"I".repeat(index + 1)}`
      write("main.cjs", `c${index}`, `exports.greeting = () => "Hello ${name}"`)
      const file = join(kept, `tapedeck-c${index}00000000000000.start`)
      writeFileSync(file, wrong)
      const next = start()
      expect(next.greeting).toBe(`Hello ${name}`)
      next.keep("start")
      expect(readFileSync(file).equals(wrong)).toBe(false)
    }
  })

  test("are never run from the code of another text", () => {
    start().keep("use")
    write("main.cjs", "b2", `const one = require("./name.cjs"); exports.greeting = () => "Salut " + one.name`)
    expect(start().greeting).toBe("Salut Ada")
  })

  test("run without a directory, and with one that cannot be written", () => {
    for (const directory of [undefined, join(folder, "missing")]) {
      const { greeting, keep } = startIn(directory)
      keep("start")
      expect(greeting).toBe("Hello Ada")
    }
    expect(readdirSync(kept)).toEqual([])
  })
})
