import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, readdir, readFile, writeFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { chromium } from "playwright-core"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { acme, ada, uuid } from "../../src/support/acme.ts"
import { Server } from "../../src/support/server.ts"
import type { Running } from "../../src/support/target.ts"
import { webm } from "../../src/support/webm.ts"
import { compilersOf, inOneChecker } from "./compilers.ts"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"

// The client as it is published, in projects that have nothing else, against a server.

const ondemand = join(root, "packages/client/ondemand")
const useFile = join(import.meta.dirname, "use.ts")
const video = webm(40)

let made: EmptyProject | undefined
let project: string
let running: Running
/** How it names itself where there is no page. */
let agent: string
const server = new Server("sqlite")

beforeAll(async () => {
  installOnDemand(ondemand)
  made = await emptyProject(["signing", "client"])
  project = made.path
  const { version } = JSON.parse(await readFile(join(project, "node_modules/@tapedeck/client/package.json"), "utf8"))
  agent = `tapedeck-client/${version}`
  await writeFile(join(project, "use.js"), stripTypeScriptTypes(await readFile(useFile, "utf8")))
})

afterAll(async () => {
  await server.stop()
  await made?.remove()
})

const run = async (
  command: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) => {
  const options = { cwd: project, env: { PATH: process.env.PATH, ...environment }, maxBuffer: 64 * 1024 * 1024 }
  const { stderr, stdout } = await promisify(execFile)(command, [...args], options).catch(
    (failed: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${command} ${args.join(" ")}: ${failed.stdout}${failed.stderr}`)
    }
  )
  return stdout + stderr
}

test("the package depends on @tapedeck/signing only, and contains the documented files", async () => {
  const folder = join(project, "node_modules/@tapedeck/client")
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  expect(Object.keys(manifest.dependencies)).toEqual(["@tapedeck/signing"])
  expect(manifest.peerDependenciesMeta).toEqual({ effect: { optional: true } })
  expect(JSON.stringify(manifest.exports)).not.toContain("source")
  // A tree without a release has no changelogs.
  const files = (await readdir(folder)).filter((name) => name !== "CHANGELOG.md")
  expect(files.sort()).toEqual(["LICENSE", "README.md", "dist", "package.json", "skills"])
  const others = (await readdir(join(project, "node_modules/.pnpm"))).filter(
    (name) => !/^@tapedeck|\.|^node_/.test(name)
  )
  expect(others).toEqual([])
})

/** What `use` finds on the server's account. */
const found = (agent: string) => ({
  listed: 120,
  oldest: uuid(1),
  title: "Paid",
  hasRequestId: true,
  video: video.toString("base64"),
  part: video.subarray(2, 7).toString("base64"),
  hasOneFolder: true,
  uploadedBytes: video.length,
  refused: 404,
  event: "Paid",
  forged: "signature_mismatch",
  agents: [agent]
})

describe("the installed client", () => {
  const arch = process.arch === "arm64" ? "arm64" : "x64"
  const installed = (name: string, file: string) => join(ondemand, "node_modules", name, file)
  const node = (major: number) => installed(`node${major}-${arch}`, "bin/node")
  const deno = installed(`@deno/linux-${arch}-glibc`, "deno")
  const bun = installed(`@oven/bun-linux-${arch === "x64" ? "x64" : "aarch64"}`, "bin/bun")
  const workerd = installed(`@cloudflare/workerd-linux-${arch === "x64" ? "64" : "arm64"}`, "bin/workerd")

  const print = "console.log(JSON.stringify(found))"
  const modules = ["@tapedeck/client", "@tapedeck/client/signing"]

  beforeAll(async () => {
    const withVideo = { video: { original: { base64: video.toString("base64"), content_type: "video/webm" } } }
    const recordings = Array.from({ length: 120 }, (_, n) => ({ uuid: uuid(n + 1), ...(n === 0 && withVideo) }))
    running = await server.start(acme({ recordings }))
    const imports = `import * as client from "${modules[0]}"\nimport * as signing from "${modules[1]}"
import { use } from "./use.js"\n`
    await writeFile(join(project, "esm.js"), `${imports}const found = await use(client, signing)\n${print}`)
    const required = modules.map((name) => `require("${name}")`).join(", ")
    const commonJs = `import("./use.js").then(({ use }) => use(${required})).then((found) => ${print})`
    await writeFile(join(project, "commonJs.cjs"), commonJs)
    await writeFile(join(project, "global.js"), `${imports}globalThis.use = (options) => use(client, signing, options)`)
    const options = JSON.stringify({ baseUrl: running.baseUrl, token: ada })
    const worker = `${imports}const test = async () => {\n  const found = await use(client, signing, ${options})\n  ${print}\n}`
    await writeFile(join(project, "worker.js"), `${worker}\nexport default { test }`)
  })

  const environment = () => ({ TAPEDECK_BASE_URL: running.baseUrl, TAPEDECK_TOKEN: ada })

  test.for([
    ["Node 18", node(18), []],
    ["Node 20", node(20), []],
    ["Node 22", node(22), []],
    ["Node 24", process.execPath, []],
    ["Deno", deno, ["run", "--no-prompt", "--allow-net", "--allow-env=TAPEDECK_BASE_URL,TAPEDECK_TOKEN"]],
    ["Bun", bun, ["run"]]
  ] as const)("works on %s, imported and required", async ([, command, args]) => {
    for (const file of ["esm.js", "commonJs.cjs"]) {
      expect(JSON.parse(await run(command, [...args, file], environment()))).toEqual(found(agent))
    }
  })

  const bundle = async (input: string, target: "browser" | "workerd") => {
    const built = await rolldown({
      cwd: project,
      input,
      platform: target === "browser" ? "browser" : "neutral",
      resolve: { conditionNames: [target, "import", "default"] }
    })
    const { output } = await built.generate({
      format: target === "browser" ? "iife" : "esm",
      minify: true,
      codeSplitting: false
    })
    await built.close()
    expect(output).toHaveLength(1)
    return output[0].code
  }

  test("works bundled on Cloudflare Workers (workerd)", async () => {
    await writeFile(join(project, "bundled.mjs"), await bundle("worker.js", "workerd"))
    const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = .worker),
  (name = "internet", network = (allow = ["private"]))
]);
const worker :Workerd.Worker = (modules = [(name = "bundled.mjs", esModule = embed "bundled.mjs")], compatibilityDate = "2025-01-01");`
    await writeFile(join(project, "worker.capnp"), config)
    const said = await run(workerd, ["test", "worker.capnp", "--verbose"])
    expect(JSON.parse(/\{"listed".*\}/.exec(said)?.[0] ?? said)).toEqual(found(agent))
  })

  test("returns Effects of the project's own copy of Effect", async () => {
    const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")) as {
      readonly catalog: { readonly effect: string }
    }
    const beside = await emptyProject(["signing", "client"], { dependencies: { effect: catalog.effect } })
    try {
      const program = `import { Tapedeck } from "@tapedeck/client/effect"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
const program = Effect.gen(function* () {
  const { recordings } = yield* Tapedeck
  const count = yield* Stream.runCount(recordings.list())
  const refused = yield* Effect.flip(recordings.get("none"))
  return [count, refused._tag]
})
const layer = Tapedeck.layer().pipe(Layer.provide(FetchHttpClient.layer))
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, layer))))`
      const file = join(beside.path, "main.js")
      await writeFile(file, program)
      expect(JSON.parse(await run(process.execPath, [file], environment()))).toEqual([120, "NotFound"])
    } finally {
      await beside.remove()
    }
  })

  test.skipIf(!existsSync(chromiumPath))("works bundled in a page of a browser (Chromium)", async () => {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] })
    try {
      // A page of the service itself, whose origin is the default of `baseUrl`; its own policy lets it run no scripts.
      const page = await (await browser.newContext({ bypassCSP: true })).newPage()
      await page.goto(`${running.baseUrl}/api/v2/openapi.json`)
      await page.evaluate(await bundle("global.js", "browser"))
      expect(await page.evaluate(`use({ token: ${JSON.stringify(ada)} })`)).toEqual(found("none"))
    } finally {
      await browser.close()
    }
  })
})

describe("the types of the client", () => {
  const node = ["ES2022"]
  const browser = ["ES2022", "DOM", "DOM.Iterable"]

  test.each(compilersOf(["5.6", "5.7", "5.8", "5.9", "6.0", "7"]))(
    "compile with TypeScript %s: nodenext as ESM and as CommonJS, and bundler, also in declarations of a project",
    async (version) => {
      const ofVersion = join(ondemand, `node_modules/typescript-${version}/bin/tsc`)
      const compiler = version === "7" ? join(root, "node_modules/typescript/bin/tsc") : ofVersion
      const options = version === "7" ? inOneChecker : ["--pretty", "false"]
      const source = await readFile(useFile, "utf8")
      const files = ["use.ts", "use.cts", "declared.ts"]
      for (const name of ["use.ts", "use.cts"]) await writeFile(join(project, name), source)
      await cp(join(import.meta.dirname, "declared.ts"), join(project, "declared.ts"))
      const types = join(root, "node_modules/@types")
      for (const [module, moduleResolution, lib] of [
        ["NodeNext", "NodeNext", browser],
        ["NodeNext", "NodeNext", node],
        ["ESNext", "Bundler", browser]
      ] as const) {
        const compilerOptions = {
          ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, declaration: true },
          // TypeScript's own declarations are not what is tested.
          ...{ skipLibCheck: false, skipDefaultLibCheck: true },
          ...{ target: "ES2022", lib, module, moduleResolution },
          ...(lib === node ? { types: ["node"], typeRoots: [types] } : { types: [] })
        }
        await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
        expect(await run(process.execPath, [compiler, "-p", ".", ...options])).toBe("")
      }
    }
  )
})
