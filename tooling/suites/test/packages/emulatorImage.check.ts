import { execFile, execFileSync, spawn } from "node:child_process"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { describe, expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"
import { builtImage } from "../../src/support/builtImage.ts"
import { commandIn, filesOf, imageUser, isOfProgram } from "../../src/support/dockerfile.ts"
import { freePort, temporaryFolder } from "../../src/support/process.ts"

describe("The Dockerfile", () => {
  const built = builtImage("packages/emulator/Dockerfile")

  /** The image, and a container of it: its entry command with what is said after the image's name. */
  const container = async (args: ReadonlyArray<string>, skip: (condition: boolean, note: string) => void) => {
    const { folder, image } = built(skip)
    const port = await freePort()
    // Names that the container's hosts file would have: they all mean this machine.
    await folder.write(
      "hosts.cjs",
      `const dns = require("node:dns")
      const { lookup } = dns
      dns.lookup = (name, ...rest) => lookup(/^receiver$|\\.internal$/.test(name) ? "127.0.0.1" : name, ...rest)`
    )
    const [file = "", ...entry] = commandIn(image, image.entrypoint)
    const options = {
      cwd: join(image.root, image.workdir),
      env: { ...image.environment, NODE_OPTIONS: `--require=${folder.path}/hosts.cjs` },
      // Not as the superuser, where the tests are run by one.
      ...(process.getuid?.() === 0 && { uid: imageUser, gid: imageUser })
    }
    const child = spawn(file, [...entry, ...args, "--port", String(port)], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"]
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
    const isHealthy = () => {
      const [program = "", ...rest] = commandIn(image, image.healthcheck).map((part) =>
        part.replace("4010", String(port))
      )
      return promisify(execFile)(program, rest).then(
        () => true,
        () => false
      )
    }
    return { child, ended, isHealthy, nextLine: async () => (await output.next()).value, port }
  }

  test("builds an image of only the command, for an unprivileged user", ({ skip }) => {
    const { image } = built(skip)
    const files = filesOf(image)
    expect(files).toContain("tapedeck-emulator")
    expect(files.filter((file) => !isOfProgram(file))).toEqual(["tapedeck-emulator"])
    expect(image).toMatchObject({
      base: "scratch",
      user: "1000:1000",
      ports: [4010]
    })
    expect(image.healthcheck).toEqual(["/tapedeck-emulator", "--health", "_emulator", "4010"])
  })

  test("starts an emulator that is healthy once it listens, and ends on a stop", async ({ skip }) => {
    const { child, ended, isHealthy, nextLine, port } = await container(["--demo"], skip)
    expect(await nextLine()).toMatch(/^Tapedeck emulator /)
    expect(await isHealthy()).toBe(true)
    // On every address of the container.
    expect((await fetch(`http://127.0.0.2:${port}/_emulator`)).status).toBe(200)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect(await isHealthy()).toBe(false)
  })

  test("works in the page's compose file, in which it calls the service that the fixtures name", async ({ skip }) => {
    const { services } = parse(readFence("docs/container.md", "yaml", "services:")) as {
      services: Record<string, { command: ReadonlyArray<string>; volumes: ReadonlyArray<string> }>
    }
    const received: Array<IncomingHttpHeaders> = []
    const receiver = createServer((request, response) => {
      received.push(request.headers)
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void receiver.close())
    const address = `receiver:${(receiver.address() as AddressInfo).port}`
    const { folder } = built(skip)
    await folder.write(
      "world.yaml",
      readFence("docs/container.md", "yaml", "allow_receivers").replace("receiver:8080", address)
    )
    expect(services.emulator!.volumes).toEqual(["./fixtures:/fixtures:ro"])
    const command = services.emulator!.command.map((part) => part.replace("/fixtures/", `${folder.path}/`))

    const { nextLine, port } = await container(command, skip)
    await nextLine()
    const script = readFence("docs/container.md", "sh", "clock/advance").replaceAll(
      "http://emulator:4010",
      `http://127.0.0.1:${port}`
    )
    const asNamed = script.replaceAll("curl ", "curl --silent --fail-with-body -H 'Host: emulator:4010' ")
    const { stdout } = await promisify(execFile)("sh", ["-ec", asNamed])
    expect(stdout).toContain('"outcome":"success","status_code":200')
    expect(received).toMatchObject([{ host: address, "x-tapedeck-signature": expect.stringMatching(/^sha256=/) }])
    // Without --allow-host, that name is a stranger's.
    const foreign = await promisify(execFile)("sh", [
      "-c",
      asNamed.replaceAll("emulator:4010'", "stranger:4010'")
    ]).catch((error: { stdout: string }) => error)
    expect(foreign.stdout).toContain("--allow-host")
  })

  test("works in the page's test in Node with Testcontainers", async ({ skip }) => {
    const { nextLine, port } = await container([], skip)
    await nextLine()
    const tests = await temporaryFolder()
    onTestFinished(() => tests.remove())
    await tests.write("snippet.mts", readFence("docs/container.md", "ts", "testcontainers"))
    // Testcontainers, as far as the page uses it, for the container that runs already.
    await tests.write(
      "preload.mjs",
      `import { registerHooks } from "node:module"
      registerHooks({
        resolve: (name, context, next) =>
          name === "testcontainers" ? { url: new URL("testcontainers.mjs", import.meta.url).href, shortCircuit: true } : next(name, context)
      })`
    )
    await tests.write(
      "testcontainers.mjs",
      `
      const is = (found, wanted) => { if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(found)) }
      let exposed = 0
      export const TestContainers = { exposeHostPorts: async (port) => { exposed = port } }
      export const Wait = { forHttp: (...where) => (is(where, ["/_emulator", 4010]), { forStatusCode: (status) => is(status, 200) }) }
      export class GenericContainer {
        constructor(image) { is(image, "tapedeck-emulator") }
        withExposedPorts(port) { is(port, 4010); return this }
        withWaitStrategy() { return this }
        async start() { if (exposed === 0) throw new Error("start() before exposeHostPorts()"); return this }
        getHost() { return "localhost" }
        getMappedPort(port) { is(port, 4010); return ${port} }
        async stop() {}
      }`
    )
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "./preload.mjs", "snippet.mts"], {
      cwd: tests.path
    })
    expect(stdout).toBe("6 6\n")
  })
})

const compiler = "javac"
const hasCompiler = (() => {
  try {
    execFileSync(compiler, ["-version"], { stdio: "ignore" })
    return true
  } catch {
    console.warn(`the page's test in Java is not looked at: there is no ${compiler}`)
    return false
  }
})()

test.skipIf(!hasCompiler)("the page's test in Java can be parsed", async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const file = await folder.write(
    "WebhookRetriesInAContainerTest.java",
    readFence("docs/container.md", "java", "GenericContainer")
  )
  const { stderr } = await promisify(execFile)(compiler, ["-XDrawDiagnostics", "-d", folder.path, file]).catch(
    (error: { stderr: string }) => error
  )
  // JUnit and Testcontainers are not here. What does not parse would be complained of in other words, and in these alone.
  const complaints = [...stderr.matchAll(/: (compiler\.err\.[\w.]+)/g)].map(([, kind]) => kind)
  expect(complaints.length).toBeGreaterThan(0)
  expect(complaints.filter((kind) => !/^compiler\.err\.(doesnt\.exist|cant\.resolve|static\.imp)/.test(kind!))).toEqual(
    []
  )
})
