import { execFile } from "node:child_process"
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
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
  work: "(event: object) => Promise<void>",
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

/** What docs/container.md uses of Testcontainers, whose own types are not installed. */
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

/** Compiles every TypeScript example of the documents in one program, with strict settings. Returns the compiler's output. */
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
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
    ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable"], module: "NodeNext", moduleResolution: "NodeNext" },
    ...{ skipLibCheck: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] }
  }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const compiled = await promisify(execFile)(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    cwd: folder
  }).catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return compiled.stdout + compiled.stderr
}
