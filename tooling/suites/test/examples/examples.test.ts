import { execFile, execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { emulatorMain, type Started, startProcess, temporaryFolder } from "../../src/support/process.ts"
import type { WorldObject } from "../../src/support/shapes.ts"

const examples = fileURLToPath(new URL("../../../../examples/", import.meta.url))

interface Example {
  readonly name: string
  readonly folder: string
  /** What has to be there to run it: commands that succeed where it is. */
  readonly needs: ReadonlyArray<ReadonlyArray<string>>
  readonly command: ReadonlyArray<string>
  /** What it prints when it has tested something. */
  readonly passed: RegExp
  /** How many of the faults it is run against: other ways to run the same file need not see them all again. */
  readonly faults: 0 | 1 | 2
}

const ranOne = /^Ran 1 test in .*\n\nOK$/m

const all: ReadonlyArray<Example> = [
  {
    name: "Python",
    folder: "python",
    needs: [["python3", "--version"]],
    command: ["python3", "-B", "test_webhook_retries.py"],
    passed: ranOne,
    faults: 2
  },
  {
    name: "unittest",
    folder: "python",
    needs: [["python3", "--version"]],
    command: ["python3", "-B", "-m", "unittest"],
    passed: ranOne,
    faults: 1
  },
  {
    name: "pytest",
    folder: "python",
    needs: [["python3", "-m", "pytest", "--version"]],
    command: ["python3", "-B", "-m", "pytest", "-p", "no:cacheprovider"],
    passed: /\b1 passed\b/,
    faults: 1
  },
  {
    name: "Go",
    folder: "go",
    needs: [["go", "version"]],
    command: ["go", "test", "-count=1", "-v", "./..."],
    passed: /^--- PASS: TestAWebhookIsRetriedUntilTheReceiverIsBack/m,
    faults: 2
  },
  {
    name: "Java",
    folder: "java",
    needs: [["javac", "-version"]],
    command: ["java", "src/test/java/WebhookRetries.java"],
    passed: /^passed: a webhook is retried/m,
    faults: 2
  },
  {
    name: "JUnit",
    folder: "java",
    // Offline, as anything else would depend on a repository; what it has not kept is a reason not to run.
    needs: [["mvn", "--version"]],
    command: ["mvn", "--offline", "--batch-mode", "test"],
    passed: /Tests run: 1, Failures: 0, Errors: 0, Skipped: 0/,
    faults: 0
  },
  {
    name: "curl",
    folder: "curl",
    needs: [
      ["curl", "--version"],
      ["jq", "--version"],
      ["openssl", "version"]
    ],
    command: ["./webhook-retries.sh"],
    passed: /^passed: a webhook is retried/m,
    faults: 2
  }
]

const succeeds = ([file = "", ...args]: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(file, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

let emulator: Started<WorldObject>
beforeAll(async () => {
  emulator = await startProcess<WorldObject>(emulatorMain, ["--port", "0", "--json", "--quiet"])
})
afterAll(() => emulator.stop())

/** Runs an example in a copy of its folder, so that what tools leave behind does not stay. */
const run = async ({ command: [file = "", ...args], folder }: Example, url: string) => {
  const copy = await temporaryFolder()
  onTestFinished(() => copy.remove())
  cpSync(join(examples, folder), copy.path, { recursive: true })
  const env = { ...process.env, TAPEDECK_URL: url, GOPROXY: "off" }
  return new Promise<{ readonly succeeded: boolean; readonly output: string }>((resolve) =>
    execFile(file, args, { cwd: copy.path, env }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, output: `${stdout}\n${stderr}` })
    )
  )
}

const worlds = async () => (await (await fetch(`${emulator.ready.base_url}/_emulator/worlds`)).json()) as unknown

/** The emulator's address, behind a proxy that changes each request's body. */
const tampered = async (change: (body: string) => string): Promise<string> => {
  const server = createServer(async (incoming, outgoing) => {
    const body = change((await incoming.toArray()).join(""))
    const { "content-length": _, connection: __, "http2-settings": ___, upgrade: ____, ...headers } = incoming.headers
    const options = { method: incoming.method!, headers: { ...headers, "content-length": Buffer.byteLength(body) } }
    const forwarded = request(`${emulator.ready.base_url}${incoming.url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

for (const example of all) {
  const missing = example.needs.filter((command) => !succeeds(command)).map((command) => command.join(" "))
  if (missing.length > 0)
    console.warn(`the ${example.name} example is not run: ${missing.join(", ")} does not work here`)

  describe.skipIf(missing.length > 0)(`The ${example.name} example`, () => {
    test("passes, and removes its worlds", async ({ skip }) => {
      const { output, succeeded } = await run(example, emulator.ready.base_url)
      const unresolved = /has not been downloaded from it before/.test(output)
      if (unresolved) console.warn(`the ${example.name} example is not run: Maven has not kept all that it needs`)
      skip(unresolved, "Maven has not kept all that it needs")
      expect(succeeded, output).toBe(true)
      expect(output).toMatch(example.passed)
      expect(await worlds()).toEqual({ worlds: ["default"] })
    })

    const faults: ReadonlyArray<readonly [string, (body: string) => string]> = [
      ["a retry is missing", (body) => body.replace("PT14H36M", "PT14H35M59S")],
      ["signatures are others", (body) => body.replaceAll("our-shared-secret", "another-secret")]
    ]
    test.each(faults.slice(0, example.faults))("fails if %s", async (_, change) => {
      const { output, succeeded } = await run(example, await tampered(change))
      expect(succeeded, output).toBe(false)
      expect(output).not.toMatch(example.passed)
      expect(await worlds()).toEqual({ worlds: ["default"] })
    })
  })
}
