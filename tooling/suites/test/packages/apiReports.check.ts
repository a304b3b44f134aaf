import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { type EmptyProject, emptyProject, libraries, root } from "./emptyProject.ts"

// The public surface of each package that promises an API, as API Extractor reads it from the packed types, is in the package's
// folder `api`: a change of it shows in review. `npx pnpm release:check -u` writes it.

/** What is used of API Extractor, which is installed on demand. */
interface ApiExtractor {
  readonly Extractor: {
    readonly invoke: (config: unknown, options: unknown) => { readonly succeeded: boolean }
  }
  readonly ExtractorConfig: { readonly prepare: (options: unknown) => unknown }
}

let extractor: ApiExtractor
let made: EmptyProject | undefined
let reports: string

beforeAll(async () => {
  extractor = installOnDemand(join(import.meta.dirname, "ondemand"))("@microsoft/api-extractor")
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8"))
  const dependencies = Object.fromEntries(["effect", "vitest", "@types/node"].map((name) => [name, catalog[name]]))
  made = await emptyProject(libraries, { dependencies, settings: { shamefullyHoist: true } })
  reports = await mkdtemp(join(tmpdir(), "tapedeck-api-"))
})

afterAll(async () => {
  await made?.remove()
  await rm(reports, { recursive: true, force: true })
})

/** Unpacks a tarball beside `node_modules`: API Extractor does not look into the files of a package within it. */
const unpack = async (name: string): Promise<string> => {
  const folder = join(made!.path, name)
  await mkdir(folder)
  await promisify(execFile)("tar", ["-xzf", made!.tarballOf(name), "-C", folder, "--strip-components=1"])
  return folder
}

interface Types {
  readonly types: string
}

/** The files with the types that a package's entries have, by the name of the entry. */
const typesOf = async (folder: string): Promise<ReadonlyArray<readonly [entry: string, file: string]>> => {
  const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  return Object.entries<string | Types | { readonly import: Types }>(exports).flatMap(([path, target]) => {
    // What the other packages share promises nothing to strangers.
    if (typeof target === "string" || path.startsWith("./internal/") || path === "./input") return []
    const { types } = "types" in target ? target : target.import
    return [[path === "." ? "index" : path.slice(2), join(folder, types)] as const]
  })
}

const extract = async (folder: string, file: string): Promise<string> => {
  const silent = { default: { logLevel: "none" } }
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: ["node"] },
    ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable", "ESNext.Disposable"] },
    ...{ module: "NodeNext", moduleResolution: "NodeNext" }
  }
  const config = extractor.ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: file,
      newlineKind: "lf",
      compiler: { overrideTsconfig: { compilerOptions, files: [file] } },
      apiReport: { enabled: true, reportFolder: reports, reportTempFolder: reports, reportFileName: "report.api.md" },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent }
    }
  })
  const errors: Array<string> = []
  const messageCallback = (message: { logLevel: string; readonly text: string; handled: boolean }) => {
    message.handled = true
    if (message.logLevel === "error") errors.push(message.text)
  }
  extractor.Extractor.invoke(config, { localBuild: true, messageCallback })
  expect(errors).toEqual([])
  return readFile(join(reports, "report.api.md"), "utf8")
}

/** The packages that promise an API have the folder. */
const promised = libraries.filter((name) => existsSync(join(root, "packages", name, "api")))

test.each(promised)(
  "the public surface of %s is the one that its API reports show",
  async (name) => {
    const folder = await unpack(name)
    const entries = await typesOf(folder)
    const api = join(root, "packages", name, "api")
    for (const [entry, file] of entries) {
      await expect(await extract(folder, file)).toMatchFileSnapshot(join(api, `${entry}.api.md`))
    }
    const expected = entries.map(([entry]) => `${entry}.api.md`)
    const outdated = (await readdir(api).catch(() => [])).filter((file) => !expected.includes(file))
    expect(outdated).toEqual([])
  },
  120_000
)
