import type { Finding } from "../finding.ts"
import type { Manifest } from "../project.ts"
import { documentedPackages } from "./citations.ts"

const allButEmulator = [
  "domain",
  "signing",
  "contract",
  "client",
  "core",
  "fixtures",
  "http",
  "dispatcher",
  "storage",
  "capture",
  "console"
] as const

/**
 * The workspace packages that each package may depend on, dev dependencies included. Sources follow the manifests: an
 * import that its manifest does not name does not resolve, and knip and Biome report it.
 */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  signing: [],
  contract: ["domain"],
  client: ["signing", "contract"],
  capture: ["client", "domain"],
  // Its tests open it on the emulator, and on a server with PostgreSQL.
  console: ["client", "capture", "capture-page", "domain", "contract", "emulator", "suites"],
  "capture-page": ["capture", "domain"],
  core: ["domain"],
  fixtures: ["core", "domain"],
  // The tests of http load fixtures.
  http: ["contract", "core", "domain", "fixtures"],
  // Its tests use core's store in memory.
  dispatcher: ["core", "domain", "signing"],
  storage: ["core", "domain"],
  emulator: ["http", "dispatcher", "core", "fixtures", "contract", "domain", "signing", "client"],
  // Its reference is made of the OpenAPI documents that an emulator serves.
  docs: ["emulator"],
  server: allButEmulator,
  testkit: ["core", "domain"],
  suites: [...allButEmulator, "server", "emulator", "testkit"],
  bench: [...allButEmulator, "server", "emulator", "suites"],
  "example-store": ["core", "domain", "testkit"],
  "example-webhooks": ["dispatcher", "signing", "suites"],
  checks: [],
  tsconfig: []
}

const scope = "@tapedeck/"

/** The name of a workspace package without its scope; undefined for a package from outside. */
export const workspaceName = (name: string): string | undefined =>
  name.startsWith(scope) ? name.slice(scope.length) : undefined

const dependencyFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const

/** Dependencies between workspace packages that the table does not allow. `text` is the manifest's, to find the line. */
export const checkDependencies = (path: string, manifest: Manifest, text: string): ReadonlyArray<Finding> => {
  const from = workspaceName(manifest.name) ?? manifest.name
  const lines = text.split("\n")
  return dependencyFields.flatMap((field) =>
    Object.keys(manifest[field] ?? {}).flatMap((name) => {
      const to = workspaceName(name)
      const specifier = manifest[field]?.[name]
      const refused = to === undefined ? undefined : (refusal(from, to) ?? rangeRefusal(from, to, field, specifier))
      const line = lines.findIndex((each) => each.includes(`"${name}":`)) + 1
      return refused === undefined ? [] : [{ path, line, rule: "dependencies", message: `${field}: ${refused}` }]
    })
  )
}

/**
 * An application that has two packages with an API gets one copy of a third that both need: their ranges overlap. The other
 * packages of a release work with its versions only.
 */
const rangeRefusal = (from: string, to: string, field: string, specifier: unknown): string | undefined => {
  const hasApi = (name: string) => (documentedPackages as ReadonlyArray<string>).includes(name)
  const expected = field === "dependencies" && hasApi(from) && hasApi(to) ? "workspace:^" : "workspace:*"
  return specifier === expected ? undefined : `${from} must name ${to} as ${expected}`
}

const refusal = (from: string, to: string): string | undefined => {
  const names = allowed[from]
  if (!names) return `${from} has no entry in the table of tooling/checks/src/rules/dependencies.ts`
  if (to === "tsconfig" || names.includes(to)) return undefined
  return `${from} may not depend on ${to}; it may depend on ${names.join(", ") || "no workspace package"}`
}
