import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { startEmulator } from "@tapedeck/emulator"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { type Browser, chromium } from "playwright-core"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { inOneChecker } from "./compilers.ts"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"

// The recorder as it is published, in a project that has nothing else.

let made: EmptyProject | undefined

beforeAll(async () => {
  made = await emptyProject(["capture"])
})

afterAll(() => made?.remove())

test("the recorder depends on nothing, and contains the documented files", async () => {
  const folder = join(made!.path, "node_modules/@tapedeck/capture")
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  expect(manifest.dependencies ?? {}).toEqual({})
  expect(JSON.stringify(manifest.exports)).not.toContain("source")
  // A tree without a release has no changelogs.
  const files = (await readdir(folder)).filter((name) => name !== "CHANGELOG.md")
  expect(files.sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"])
})

const examples = readFences("packages/capture/README.md", "ts").map(({ code }) => code)

test("the examples in the README of the recorder compile without the types of Node", async () => {
  const files = examples.map((_, index) => `readme${index}.ts`)
  for (const [index, code] of examples.entries()) await writeFile(join(made!.path, files[index]!), code)
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
    ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], module: "ESNext", moduleResolution: "Bundler" }
  }
  await writeFile(join(made!.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const compiled = await promisify(execFile)(process.execPath, [tsc, "-p", made!.path, ...inOneChecker]).catch(
    (failed) => failed
  )
  expect(compiled.stdout).toBe("")
})

describe.skipIf(!existsSync(chromiumPath))("the README of the recorder", () => {
  let browser: Browser
  let emulator: Awaited<ReturnType<typeof startEmulator>>

  beforeAll(async () => {
    const media = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream=fps=5"]
    browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", ...media] })
    emulator = await startEmulator({ fixtures: { users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }] } })
  })

  afterAll(async () => {
    await browser?.close()
    await emulator?.close()
  })

  const call = async (url: string, body?: unknown, token = "") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    return (await fetch(url, { headers, ...init })).json()
  }

  const bundled = async (code: string): Promise<string> => {
    const input = join(made!.path, "example.ts")
    await writeFile(input, code)
    const built = await rolldown({ cwd: made!.path, input, platform: "browser" })
    const { output } = await built.generate({ format: "esm", codeSplitting: false })
    await built.close()
    return output[0].code
  }

  /** Runs a module in a page of the emulator's origin until it has printed these lines. */
  const run = async (code: string, lines: ReadonlyArray<string>) => {
    const page = await browser.newPage()
    const printed: Array<string> = []
    page.on("console", (message) => message.type() === "log" && printed.push(message.text()))
    page.on("pageerror", (error) => printed.push(String(error)))
    await page.route("**/example", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Example</h1>" }))
    await page.goto(`${emulator.url}/example`)
    await page.click("h1")
    await page.addScriptTag({ type: "module", content: await bundled(code) })
    await expect.poll(() => printed).toEqual(lines)
    await page.close()
  }

  const signIn = async () => {
    const { token } = await call(`${emulator.control}/sessions`, { user: "ada@acme.test" })
    return (path: string, body?: unknown) => call(`${emulator.url}/api/settings${path}`, body, token)
  }

  const isOnServer = async (uuid: string) => {
    const headers = { authorization: `Bearer ${emulator.tokens["ada@acme.test"]}` }
    // Its stretches are joined after the capture is finished.
    const video = async () => {
      const answer = await fetch(`${emulator.url}/api/v2/recordings/${uuid}/download`, { headers })
      return [...new Uint8Array(await answer.arrayBuffer()).slice(0, 4)]
    }
    await expect.poll(video).toEqual([0x1a, 0x45, 0xdf, 0xa3])
  }

  test("has examples that print in Chromium what their comments say, and the video is on the server", async () => {
    const settings = await signIn()
    const { url } = await settings("/capture-links", { title: "Show us the checkout" })
    for (const example of examples) {
      const lines = [...example.matchAll(/console\.log\(.* \/\/ (.*)$/gm)].map(([, line = ""]) => line)
      await run(example.replace('"…"', JSON.stringify(url.split("/c/")[1])), lines)
    }
    const { records } = await settings("/recordings?type=Received")
    expect(records).toMatchObject([{ title: "Checkout fails" }])
    const { token } = await call(`${emulator.control}/sessions`, { user: "ada@acme.test" })
    const log = await fetch(`${emulator.url}/api/settings/recordings/${records[0].uuid}/log`, {
      headers: { authorization: `Bearer ${token}` }
    })
    expect(await log.text()).toContain("Here it fails")
    await isOnServer(records[0].uuid)
  })

  test("has its last second on the server if it is finished in the moment it is stopped", async () => {
    const settings = await signIn()
    const { url } = await settings("/capture-links", { title: "Short" })
    const code = `
      import { CaptureApi, openSources, Session, Spool } from "@tapedeck/capture"
      let recordedBytes = 0
      let first
      const started = new Promise((resolve) => { first = resolve })
      let last
      const ended = new Promise((resolve) => { last = resolve })
      globalThis.MediaRecorder = class extends MediaRecorder {
        constructor(...options) {
          super(...options)
          this.addEventListener("dataavailable", ({ data }) => {
            recordedBytes += data.size
            if (data.size > 0) first()
          })
          this.addEventListener("stop", last)
        }
      }
      const token = ${JSON.stringify(url.split("/c/")[1])}
      const api = new CaptureApi("")
      const entrance = { origin: "/c/" + token, begin: (key) => api.begin(token, key) }
      const link = await api.link(token)
      const session = await Session.begin({ api, spool: await Spool.open(), entrance, link, onChange: () => {} })
      const sources = await openSources({ screen: true, microphone: true, camera: false })
      session.start(sources)
      await started
      session.stop()
      await session.finish({ title: "Stopped early" })
      await ended
      console.log(session.current.phase, recordedBytes - session.current.sentBytes)`
    await run(code, ["sent 0"])
    const { records } = await settings("/recordings?type=Received")
    await isOnServer(records.find(({ title }: { readonly title: string }) => title === "Stopped early").uuid)
  })
})
