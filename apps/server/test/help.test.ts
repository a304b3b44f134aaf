import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commands } from "../src/cli/commandLine.ts"
import { usage, usageOf } from "../src/cli/usage.ts"
import { listening, run, runProcess, temporaryFolder } from "./support/command.ts"

test.each(Object.keys(commands))(
  "tapedeck %s --help prints the command's own lines and all its options",
  async (name) => {
    const { code, err, out } = await run([...name.split(" "), "--help"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(new RegExp(`^Usage: tapedeck ${name} `))
    for (const option of commands[name]!) expect(out).toContain(`--${option}`)
    expect(usage).toContain(`tapedeck ${name} `)
    if (name !== "serve") expect(out).not.toContain("tapedeck serve ")
  }
)

test("the first word of several commands prints the help of each", () => {
  for (const name of ["create", "list", "set"]) expect(usageOf("account")).toContain(`tapedeck account ${name} `)
  expect(usageOf("doctor")).toContain("tapedeck doctor deliveries ")
})

test("a command runs beside a server, or refuses its data directory, as its help says", async () => {
  const folder = temporaryFolder()
  const data = join(folder, "data")
  await listening(["--data", data])
  const moved = ["--from", `sqlite:${data}`, "--to", "postgres://127.0.0.1:9/none"]
  const tried: ReadonlyArray<readonly [string, ReadonlyArray<string>, "runs" | "refuses"]> = [
    ["account create", ["Acme"], "runs"],
    ["account list", [], "runs"],
    ["account set", ["1", "--api-access", "off"], "runs"],
    ["admin create", ["--account", "1", "--email", "a@acme.test", "--name", "Ada"], "runs"],
    ["admin link", ["a@acme.test"], "runs"],
    ["config", [], "runs"],
    ["doctor", [], "runs"],
    ["doctor deliveries", [], "runs"],
    ["audit verify", [], "runs"],
    ["backup", [join(folder, "backup")], "runs"],
    ["migrate", ["--check"], "runs"],
    ["migrate", [], "refuses"],
    ["migrate", moved, "refuses"],
    ["key rotate", [], "refuses"],
    ["serve", ["--port", "0"], "refuses"],
    ["restore", [join(folder, "backup")], "refuses"]
  ]
  expect([...new Set(tried.map(([name]) => name))].toSorted()).toEqual(Object.keys(commands).toSorted())
  for (const [name, args, outcome] of tried) {
    const before = readdirSync(data)
    const { code, err } = await runProcess([...name.split(" "), ...args, "--data", data])
    expect({ code, err }, `${name} ${args.join(" ")}`).toMatchObject(
      outcome === "runs" ? { code: 0 } : { code: 5, err: expect.stringMatching(/uses this data directory|not empty/) }
    )
    if (outcome === "refuses") expect(readdirSync(data), name).toEqual(before)
    const says =
      outcome === "runs"
        ? /while\s+the\s+server\s+runs/
        : /Stop the server\s+first|One server at a time|refuses a directory with/
    expect(usageOf(name), name).toMatch(says)
  }
})
