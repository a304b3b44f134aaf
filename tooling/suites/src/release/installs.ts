import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { ondemand, type Registry } from "./registry.ts"
import type { Released, Workplace } from "./Workplace.ts"

/** A package manager, and how it installs a project whose npmrc names the registry. */
interface Manager {
  readonly name: string
  readonly install: (run: (command: string, ...args: ReadonlyArray<string>) => Promise<string>) => Promise<string>
  /** Files of the project besides its manifest. */
  readonly files?: (registry: Registry) => Readonly<Record<string, string>>
}

const require = createRequire(join(ondemand, "package.json"))

const bunPackage = `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`

export const managers: ReadonlyArray<Manager> = [
  { name: "npm", install: (run) => run("npm", "install", "--no-audit", "--no-fund") },
  { name: "pnpm", install: (run) => run("pnpm", "install") },
  {
    name: "yarn",
    install: (run) => run("node", join(dirname(require.resolve("@yarnpkg/cli-dist/package.json")), "bin/yarn.js")),
    files: ({ url }) => ({
      "yarn.lock": "",
      ".yarnrc.yml": `npmRegistryServer: "${url}"
unsafeHttpWhitelist: ["127.0.0.1"]
nodeLinker: node-modules
enableTelemetry: false
enableImmutableInstalls: false
npmMinimalAgeGate: 0
`
    })
  },
  {
    name: "bun",
    install: (run) => run(join(dirname(require.resolve(`${bunPackage}/package.json`)), "bin/bun"), "install")
  }
]

/** What the examples use besides the packages. */
const besides = ["effect", "vitest", "typescript", "@types/node"]
const frameworks = { express: "5.3.0", "@types/express": "5.0.6" }

const resolutions = [
  { module: "NodeNext", moduleResolution: "NodeNext" },
  { module: "ESNext", moduleResolution: "Bundler" }
]

/** The first TypeScript example of each README, as it is printed. */
const firstExamples = async (released: ReadonlyArray<Released>): Promise<ReadonlyMap<string, string>> => {
  const examples = new Map<string, string>()
  for (const { folder, name } of released) {
    const readme = await readFile(join(folder, "README.md"), "utf8")
    const [, example] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? []
    if (example !== undefined) examples.set(`${name.slice("@tapedeck/".length)}.ts`, example)
  }
  return examples
}

/** Runs the `npm install` commands of the packages' READMEs, each as it is printed, in an empty project. */
export async function* installAsDocumented({ folder, release, run }: Workplace): AsyncGenerator<string> {
  const blocks = readFences("packages/*/README.md", "sh", "npm install")
  for (const { code, page } of blocks) {
    const project = join(folder, `documented-${page.replaceAll("/", "-")}`)
    await mkdir(project, { recursive: true })
    await run("sh", ["-euc", code], { cwd: project, env: release })
  }
  yield `the install commands of ${blocks.length} blocks of the READMEs work in empty projects`
}

/** Prints the `User-Agent` of a request by the client. */
const printUserAgent = `import { Tapedeck } from "@tapedeck/client"
const fetch = async (url, { headers }) => {
  console.log(new Headers(headers).get("user-agent"))
  return Response.json({ error: "not_found" }, { status: 404 })
}
await new Tapedeck({ baseUrl: "https://tapedeck.test", token: "token", fetch }).users.search("ada@acme.test").catch(() => {})
`

/** Installs all packages into an empty project, and compiles the first example of each README in it. */
export async function* install(
  workplace: Workplace,
  registry: Registry,
  { files = () => ({}), install, name }: Manager,
  released: ReadonlyArray<Released>
): AsyncGenerator<string> {
  const project = join(workplace.folder, `with-${name}`)
  await mkdir(project)
  const catalog = await workplace.catalog()
  const dependencies = {
    ...frameworks,
    ...Object.fromEntries(besides.map((each) => [each, catalog[each]])),
    ...Object.fromEntries(released.map(({ name, version }) => [name, version]))
  }
  const examples = await firstExamples(released)
  const written = {
    "package.json": JSON.stringify({ private: true, type: "module", dependencies }),
    ".npmrc": `registry=${registry.url}\n`,
    "userAgent.js": printUserAgent,
    ...files(registry),
    ...Object.fromEntries(examples)
  }
  for (const [file, text] of Object.entries(written)) await writeFile(join(project, file), text)

  const run = (command: string, ...args: ReadonlyArray<string>) =>
    workplace.run(command, args, { cwd: project, env: workplace.release })
  await install(run)
  for (const { name, version } of released) {
    const manifest = JSON.parse(await readFile(join(project, "node_modules", name, "package.json"), "utf8"))
    if (manifest.version !== version) throw new Error(`${name} ${manifest.version} was installed, not ${version}`)
  }
  const version = released[0]?.version ?? ""
  const reported = [
    await run("node", "userAgent.js"),
    await run("node_modules/.bin/tapedeck", "--version"),
    await run("node_modules/.bin/tapedeck-emulator", "--version")
  ]
  for (const line of reported) if (!line.includes(version)) throw new Error(`${line} reports another version`)
  yield `${name} installs ${released.length} packages into an empty project; client and commands report ${version}`

  for (const resolution of resolutions) {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable"], types: ["node"], skipLibCheck: false },
      ...resolution
    }
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...examples.keys()] }))
    await run("node", join(project, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false")
    yield `${name}: the first example of ${examples.size} READMEs compiles as printed, strict, ${resolution.moduleResolution}`
  }
}
