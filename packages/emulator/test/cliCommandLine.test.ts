import { describe, expect, test } from "vitest"
import { parseCommandLine, usage } from "../src/cli/commandLine.ts"

describe("The command line", () => {
  test("has a default for everything", () => {
    expect(parseCommandLine([])).toEqual({
      port: 4010,
      host: "127.0.0.1",
      now: undefined,
      seed: undefined,
      clock: "stopped",
      fixtures: undefined,
      watch: false,
      allowHosts: [],
      demo: false,
      json: false,
      quiet: false,
      untilStdinEnds: false,
      help: false,
      version: false
    })
  })

  test("accepts every option", () => {
    const args = "--port 0 --host ::1 --now 2026-02-03T00:00:00Z --seed -5 --clock running --fixtures f.yaml --watch"
    expect(parseCommandLine([...args.split(" "), "--json", "--quiet", "--until-stdin-ends"])).toMatchObject({
      port: 0,
      host: "::1",
      now: "2026-02-03T00:00:00Z",
      seed: -5,
      clock: "running",
      fixtures: "f.yaml",
      watch: true,
      json: true,
      quiet: true,
      untilStdinEnds: true
    })
    expect(parseCommandLine(["--allow-host", "a", "--allow-host=b.test", "--demo"])).toMatchObject({
      allowHosts: ["a", "b.test"],
      demo: true
    })
    expect(parseCommandLine(["-h", "--version"])).toMatchObject({ help: true, version: true })
  })

  test("uses the last of two values, so that a container's own options can be overridden", () => {
    expect(parseCommandLine(["--host", "0.0.0.0", "--host", "127.0.0.1"]).host).toBe("127.0.0.1")
  })

  test.each([
    ["--prot 1", "--prot: no such option"],
    ["--fixture f.yaml", "--fixture: no such option (did you mean --fixtures?)"],
    ["-x", "-x: no such option"],
    ["start", "start: not an option"],
    ["--port", "--port: needs a value"],
    ["--port=", "--port: needs a value"],
    ["--host --json", "--host: needs a value"],
    ["--json=yes", "--json: takes no value"],
    ["--port 65536", "--port: must be an integer from 0 to 65535, not 65536"],
    ["--port -1", "--port: must be an integer from 0 to 65535, not -1"],
    ["--port 4e3", "--port: must be an integer from 0 to 65535, not 4e3"],
    ["--seed 1.5", "--seed: must be an integer, not 1.5"],
    ["--clock fast", "--clock: must be stopped or running, not fast"],
    ["--watch", "--watch: requires --fixtures"],
    ["--demo --fixtures f.yaml", "--demo and --fixtures: give only one of them"]
  ])("refuses %s, and names the option", (args, message) => {
    expect(() => parseCommandLine(args.split(" "))).toThrow(message)
  })

  test("is described in full, on lines that fit a terminal", () => {
    const described = [...usage.matchAll(/--[a-z-]+/g)].map(([option]) => option)
    const taken = [
      "port",
      "host",
      "now",
      "seed",
      "clock",
      "fixtures",
      "watch",
      "allow-host",
      "demo",
      "json",
      "quiet",
      "until-stdin-ends"
    ]
    expect(new Set(described)).toEqual(new Set([...taken, "help", "version"].map((name) => `--${name}`)))
    for (const line of usage.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80)
  })
})
