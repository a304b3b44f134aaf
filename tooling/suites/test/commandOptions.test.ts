import { expect, test } from "vitest"
import { readCommandOptions } from "../src/support/commandOptions.ts"

const options = {
  kills: { is: "number", min: 1, about: "kills", default: 50 },
  only: { is: "number", about: "one of them" },
  store: { is: "name", of: ["sqlite", "postgres"], about: "database", default: "sqlite" },
  target: { is: "names", of: ["server", "emulator"], about: "target" },
  short: { is: "flag", about: "short" }
} as const
const read = (...args: ReadonlyArray<string>) => readCommandOptions(options, args)

test("A command has its defaults, and the given values", () => {
  const defaults = { kills: 50, only: undefined, store: "sqlite", target: ["server", "emulator"], short: false }
  expect(read()).toEqual({ values: defaults })
  expect(read("--kills", "1", "--only=0", "--store", "postgres", "--target", "emulator", "--short")).toEqual({
    values: { kills: 1, only: 0, store: "postgres", target: ["emulator"], short: true }
  })
  expect(read("--help")).toEqual({ isHelp: true })
})

test.each([
  { args: ["--nope"], problem: "Unknown option '--nope'" },
  { args: ["--kills", "0"], problem: "--kills must be a whole number of at least 1, not 0" },
  { args: ["--kills", "x"], problem: "--kills must be a whole number of at least 1, not x" },
  { args: ["--store", "mysql"], problem: "--store: mysql is unknown" },
  { args: ["--target", "server", "--target", "client"], problem: "--target: client is unknown" }
])("A command refuses $args", ({ args, problem }) => {
  expect(read(...args)).toEqual({ problem })
})
