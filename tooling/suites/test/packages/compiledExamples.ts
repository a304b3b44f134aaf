import { execFile } from "node:child_process"
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { inOneChecker } from "./compilers.ts"
import { root } from "./emptyProject.ts"

/** Types of names that examples use, and that a reader has in a project. */
const types: Readonly<Record<string, string>> = {
  app: `import("express").Express`,
  blob: "Blob",
  body: "Uint8Array",
  createServer: `typeof import("node:http").createServer`,
  emulatorClient: `typeof import("@tapedeck/emulator/client").emulatorClient`,
  express: `typeof import("express")`,
  fastify: `import("fastify").FastifyInstance`,
  fixtures: `import("@tapedeck/emulator").FixturesDocument`,
  headers: "Headers",
  hono: `import("hono").Hono`,
  keep: "(state: string) => void",
  koa: `import("koa")`,
  newSecret: "string",
  oldSecret: "string",
  recording: "string",
  redis: "{ set(key: string, value: string, options: { NX: boolean; EXAT: number }): Promise<string | null> }",
  secret: "string",
  signal: "AbortSignal",
  tapedeck: `import("@tapedeck/client").Tapedeck`,
  test: `typeof import("@tapedeck/emulator/vitest").test`,
  ticket: "{ id: string; comment(text: string): Promise<void> }",
  token: "string",
  uuid: "string",
  warehouse: `{
    loadPlace(): Promise<string>
    savePlace(place: string): Promise<void>
    clear(): Promise<void>
    delete(uuid: string): Promise<void>
    upsert(uuid: string, row: import("@tapedeck/client").Recording): Promise<void>
  }`,
  work: `(event: import("@tapedeck/signing").WebhookEvent) => Promise<void>`,
  world: `import("@tapedeck/emulator").EmulatedWorld`
}

const isDeclared = (name: string, code: string): boolean =>
  new RegExp(
    `\\b(?:const|let|function) (?:\\{[^}]*\\b)?${name}\\b|\\bimport [^"]*\\b${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\}\\) =>`
  ).test(code)

const declarationsFor = (code: string): ReadonlyArray<string> =>
  Object.entries(types)
    .filter(([name]) => new RegExp(`(?<![.\\w/"])${name}\\b(?!:)`).test(code) && !isDeclared(name, code))
    .map(([name, type]) => `declare const ${name}: ${type}`)

/** Types of Testcontainers that docs/container.md uses. Its own types are not installed. */
const testcontainers = `declare module "testcontainers" {
  interface Strategy { forStatusCode(status: number): Strategy }
  interface Started { getHost(): string; getMappedPort(port: number): number; stop(): Promise<unknown> }
  export const TestContainers: { exposeHostPorts(...ports: ReadonlyArray<number>): Promise<void> }
  export const Wait: { forHttp(path: string, port: number): Strategy }
  export class GenericContainer {
    constructor(image: string)
    withExposedPorts(...ports: ReadonlyArray<number>): this
    withWaitStrategy(strategy: Strategy): this
    start(): Promise<Started>
  }
}
`

/** Links the frameworks that the examples of @tapedeck/signing are for, and their types, into a project. */
const linkFrameworks = async (project: string): Promise<void> => {
  const ondemand = join(root, "packages/signing/ondemand")
  installOnDemand(ondemand)
  const from = join(ondemand, "node_modules")
  await mkdir(join(project, "node_modules/@types"), { recursive: true })
  const names = (await readdir(join(from, "@types"))).map((name) => `@types/${name}`)
  for (const name of ["express", "fastify", "hono", ...names])
    await symlink(join(from, name), join(project, "node_modules", name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
}

const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }

/** Programs by the files that they compile: all examples as Node reads them, and those of signing without a browser's types, as a bundler reads them. */
const programs: Readonly<Record<string, object>> = {
  "*": { target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable"], module: "NodeNext", moduleResolution: "NodeNext" },
  "packages-signing-README-*": { target: "ES2022", lib: ["ES2022"], module: "ESNext", moduleResolution: "Bundler" }
}

/** Compiles every TypeScript example of the documents in two programs, with strict settings. Returns the compiler's output. */
export const compileExamples = async (project: string): Promise<string> => {
  const examples = readFences("{README.md,docs/*.md,{apps,packages}/*/README.md,{clients,examples}/**/README.md}", "ts")
  await linkFrameworks(project)
  const folder = join(project, "documented")
  await mkdir(folder)
  for (const { code, line, page } of examples) {
    const file = `${page.replaceAll("/", "-").replace(/\.md$/, "")}-${line}.ts`
    await writeFile(join(folder, file), [code, ...declarationsFor(code), "export {}\n"].join("\n"))
  }
  await writeFile(join(folder, "testcontainers.d.ts"), testcontainers)
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const node = { skipLibCheck: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] }
  let output = ""
  for (const [index, [files, options]] of Object.entries(programs).entries()) {
    const config = join(folder, `tsconfig.${index}.json`)
    const compilerOptions = { ...strict, ...options, ...node }
    await writeFile(config, JSON.stringify({ compilerOptions, include: [`${files}.ts`] }))
    const compiled = await promisify(execFile)(process.execPath, [tsc, "-p", config, ...inOneChecker], {
      cwd: folder
    }).catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
    output += compiled.stdout + compiled.stderr
  }
  return output
}
