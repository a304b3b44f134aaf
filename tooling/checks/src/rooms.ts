/** Who may import whom, after design.md. Paths below `packages/`, `apps/` and `tooling/` are rooms, one a package. */
export interface Room {
  /** Workspace packages (without the scope) that this one may import and depend on, dev dependencies included. */
  readonly imports: ReadonlyArray<string>
  /** The only packages from outside that its `src` may import; absent: any that its manifest names. */
  readonly external?: ReadonlyArray<string>
  /** Its `src` must load where there are no Node built-ins; `except` are the files that its manifest picks for Node. */
  readonly withoutNode?: { readonly except: ReadonlyArray<string> }
}

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
  "console"
] as const

export const rooms: Readonly<Record<string, Room>> = {
  domain: { imports: [], external: ["effect"], withoutNode: { except: [] } },
  signing: { imports: [], external: [], withoutNode: { except: ["src/hmac/node.ts"] } },
  contract: { imports: ["domain"], withoutNode: { except: [] } },
  client: { imports: ["signing", "contract"] },
  console: { imports: ["client"], withoutNode: { except: [] } },
  core: { imports: ["domain"] },
  fixtures: { imports: ["core", "domain"] },
  // The tests of http load fixtures.
  http: { imports: ["contract", "core", "domain", "fixtures"] },
  dispatcher: { imports: ["core", "domain", "signing"] },
  storage: { imports: ["core", "domain"] },
  emulator: { imports: ["http", "dispatcher", "core", "fixtures", "contract", "domain", "signing", "client"] },
  server: { imports: allButEmulator },
  testkit: { imports: [...allButEmulator, "server", "emulator"] },
  bench: { imports: [...allButEmulator, "server", "emulator", "testkit"] },
  checks: { imports: [] },
  tsconfig: { imports: [] }
}

const scope = "@tapedeck/"

/** Shared settings, not code: any package may depend on it. */
const settingsPackage = "tsconfig"

/** The room's name of a workspace package or of an import from one; undefined for what comes from outside. */
export const roomOf = (specifier: string): string | undefined =>
  specifier.startsWith(scope) ? specifier.slice(scope.length).split("/")[0] : undefined

/** Why `from` may not import or depend on `to`, or undefined where it may. */
export const refusal = (from: string, to: string): string | undefined => {
  const room = rooms[from]
  if (!room) return `${scope}${from} is not in the table of tooling/checks/src/rooms.ts: say there what it may import`
  if (to === from || to === settingsPackage || room.imports.includes(to)) return undefined
  const allowed = room.imports.length === 0 ? "no workspace package" : room.imports.join(", ")
  return `${from} may not import ${to}; it may import ${allowed} (design.md, who may import whom)`
}
