import { openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { commandWords } from "../../src/media/commandWords.ts"
import { runProcess } from "../../src/media/runProcess.ts"
import { aDirectory, aProgram, aWatcher } from "./programs.ts"

const limits = { timeoutMs: 60_000, maxOutputBytes: 1000, passEnvironment: [] }

const failing = (program: string, args: ReadonlyArray<string>, known: Partial<typeof limits> = {}) =>
  Effect.runPromise(Effect.flip(runProcess(program, args, { directory: "/", ...limits, ...known })))

describe("A program", () => {
  test("gets its arguments unchanged, a directory and a file to read", async () => {
    const directory = aDirectory()
    writeFileSync(join(directory, "in"), "input")
    const echo = aProgram(
      directory,
      "echo",
      `console.log(JSON.stringify([args, process.cwd(), fs.readFileSync(0, "utf8")]))`
    )
    const args = ["a b", "$HOME", "; rm -rf x", '"', ""]
    const input = openSync(join(directory, "in"), "r")
    const output = await Effect.runPromise(runProcess(echo, args, { directory, ...limits, input }))
    expect(JSON.parse(output.toString())).toEqual([args, directory, "input"])
  })

  test("gets PATH, HOME, LANG, TMPDIR and the given variables, and no others", async () => {
    const directory = aDirectory()
    const values = {
      HOME: "/h",
      LANG: "C.UTF-8",
      TMPDIR: "/t",
      AWS_SECRET_ACCESS_KEY: "s",
      TAPEDECK_KEY: "k",
      HF_HOME: "/m"
    }
    for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { PATH } = process.env
    const common = { HOME: "/h", LANG: "C.UTF-8", TMPDIR: "/t", PATH }
    const show = aProgram(directory, "show", "console.log(JSON.stringify(process.env))")
    const shown = async (passEnvironment: ReadonlyArray<string>) =>
      JSON.parse(String(await Effect.runPromise(runProcess(show, [], { directory, ...limits, passEnvironment }))))
    expect(await shown([])).toEqual(common)
    expect(await shown(["HF_HOME", "NOT_SET"])).toEqual({ ...common, HF_HOME: "/m" })
  })

  test("that fails gives an error with its exit code and its last output", async () => {
    const program = aProgram(aDirectory(), "p", `console.error("x".repeat(1000) + "\\nno such codec"); process.exit(3)`)
    const failed = await failing(program, [])
    expect(failed.message).toMatch(/p exited with 3: x+ no such codec$/)
    expect(failed.message.length).toBeLessThan(program.length + 600)
    expect((await failing("/nowhere/ffmpeg", [])).message).toMatch(/^\/nowhere\/ffmpeg does not exist/)
    expect((await failing("/", [])).reason).toBe("not_started")
  })

  test("is stopped if it writes without end", async () => {
    const program = aProgram(aDirectory(), "p", `for (;;) fs.writeSync(1, "x".repeat(100))`)
    expect((await failing(program, [])).message).toMatch(/was stopped: it wrote more than 1000 bytes/)
  })

  test("gets its arguments unchanged with a limit of memory too, and says which limit it failed for", async () => {
    const limited = (program: string, args: ReadonlyArray<string>) =>
      runProcess(program, args, {
        ...{ directory: "/", ...limits, maxMemoryBytes: 300 * 1024 * 1024 },
        limits: [[/malloc failed/, "it needs more memory"]]
      })
    const shown = await Effect.runPromise(limited("sh", ["-c", 'ulimit -v; echo "$1"', "sh", '$HOME "; exit 1']))
    expect(shown.toString()).toBe('307200\n$HOME "; exit 1\n')
    const failed = (program: string, ...args: ReadonlyArray<string>) =>
      Effect.runPromise(Effect.flip(limited(program, args)))
    expect((await failed("sh", "-c", "echo malloc failed >&2; echo later >&2; exit 127")).message).toBe(
      "sh is beyond a limit: it needs more memory"
    )
    expect((await failed("sh", "-c", "echo broken >&2; exit 1")).message).toBe("sh exited with 1: broken")
    expect((await failed("/nowhere/ffmpeg")).reason).toBe("not_found")
    expect((await failed("/")).reason).toBe("not_started")
  })

  const family = (directory: string, reporting: string) =>
    aProgram(
      directory,
      "p",
      `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(reporting)}], { stdio: "inherit" }); ${reporting}`
    )

  test("is stopped with its descendants if it takes too long", async () => {
    const watcher = await aWatcher()
    const program = family(aDirectory(), watcher.reporting)
    expect((await failing(program, [], { timeoutMs: 500 })).message).toMatch(/was stopped after 500 ms/)
    // Those processes that had reported before the stop.
    await watcher.allEnded()
  })

  test("is killed with its descendants on an interruption", async () => {
    const watcher = await aWatcher()
    const directory = aDirectory()
    const fiber = Effect.runFork(runProcess(family(directory, watcher.reporting), [], { directory, ...limits }))
    await watcher.connected(2)
    await Effect.runPromise(Fiber.interrupt(fiber))
    await watcher.allEnded()
  })
})

describe("A command line", () => {
  test.each([
    ["whisper {file}", ["whisper", "{file}"]],
    ["  a\t'b c'  \"d 'e'\" f\\ g '' \"\\\"\" 'h'i", ["a", "b c", "d 'e'", "f g", "", '"', "hi"]],
    ["a | b > $c *", ["a", "|", "b", ">", "$c", "*"]]
  ])("is split into words: %s", (text, words) => {
    expect(commandWords(text)).toMatchObject({ _tag: "Success", success: words })
  })

  test.each([
    ["", "the command is empty"],
    ["a 'b", "a ' is not closed"],
    ["a\\", "nothing follows the last \\"]
  ])("is refused: %s", (text, problem) => {
    expect(commandWords(text)).toMatchObject({ _tag: "Failure", failure: problem })
  })
})
