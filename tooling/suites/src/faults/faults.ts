import type { PlantedFault } from "@tapedeck/tsconfig/plantedFault.ts"

/** A fault that is planted in a package's source, and that the package's own suite has to find. */
export interface Fault extends PlantedFault {
  readonly package: string
  /** What it breaks. */
  readonly title: string
}

/** A package's suite: a test file here, or of the package itself, and which of its tests. */
export interface Suite {
  /** From the root; tooling/suites without it. */
  readonly project?: string
  readonly file: string
  readonly tests?: string
  /** What is built with the fault before the suite runs, from the root. */
  readonly built?: string
}

const hermetic = (tests: string): Suite => ({ file: "test/hermetic.test.ts", tests: `^@tapedeck/${tests} ` })

export const suites: Readonly<Record<string, Suite>> = {
  domain: hermetic("domain"),
  signing: hermetic("signing"),
  contract: hermetic("contract"),
  core: hermetic("core"),
  http: hermetic("http"),
  dispatcher: hermetic("dispatcher"),
  fixtures: { file: "test/conformance/memoryStore.test.ts", tests: "with use cases and fixtures" },
  storage: { file: "test/conformance/sqliteStore.test.ts" },
  client: { file: "test/blackbox/api.test.ts", tests: "^The client, the emulator " },
  server: { project: "apps/server", file: "test/media/worker.test.ts" },
  // The emulator brings the console along.
  console: { project: "apps/console", file: "test/automations.test.ts", built: "packages/emulator" }
}

const fault = (name: string, title: string, path: string, from: string, to: string): Fault => ({
  ...{ package: name, title, from, to },
  file: `${name === "server" || name === "console" ? "apps" : "packages"}/${name}/src/${path}`
})

export const faults: ReadonlyArray<Fault> = [
  fault(
    "domain",
    "a folder's third delay is 31 minutes",
    "delivery/schedule.ts",
    "30 * MINUTE_MS, 2 *",
    "31 * MINUTE_MS, 2 *"
  ),
  fault("domain", "an audit delay is 16 minutes", "delivery/schedule.ts", "15 * MINUTE_MS,", "16 * MINUTE_MS,"),
  fault(
    "domain",
    "a delay counts from the end of an attempt",
    "delivery/state.ts",
    "state.startedAt + delayMs",
    "endedAt + delayMs"
  ),
  fault("domain", "the last page names a next page", "pagination.ts", "page < pages &&", "page <= pages &&"),
  fault("signing", "an entry has another version", "sign.ts", "`v1,${digestSync", "`v2,${digestSync"),
  fault(
    "signing",
    "requests of an hour ago are accepted",
    "verify.ts",
    "toleranceSeconds = 300 }: VerifyPolicy): void",
    "toleranceSeconds = 3600 }: VerifyPolicy): void"
  ),
  fault(
    "contract",
    "platforms are numbers",
    "wire/Recording.ts",
    "const Platform = Schema.String.",
    "const Platform = Schema.Number."
  ),
  fault(
    "core",
    "members see each other's recordings",
    "recordings/visibility.ts",
    '(role === "admin" || recording.ownerId === id)',
    "role !== undefined"
  ),
  fault("contract", "members list users", "operation.ts", '[v2.AdminOnly, "admin"]', '[v2.AdminOnly, "member"]'),
  fault(
    "core",
    "denials are written every two hours",
    "audit/denials.ts",
    "ENTRY_EVERY_MS = 3_600_000",
    "ENTRY_EVERY_MS = 7_200_000"
  ),
  fault(
    "http",
    "a long target is not refused",
    "pipeline/pipeline.ts",
    "exchange.request.url.length > maxTargetBytes",
    "exchange.request.url.length > 1e9"
  ),
  fault(
    "http",
    "an unknown method is an unknown path",
    "pipeline/pipeline.ts",
    "match.others.length === 0",
    "match.others.length >= 0"
  ),
  fault(
    "dispatcher",
    "own headers stay beside custom ones",
    "attempt.ts",
    ".filter(([name]) => !custom.some(([one]) => one === name))",
    ""
  ),
  fault("dispatcher", "attempts have no id", "sign.ts", '["webhook-id", id], ', ""),
  fault(
    "dispatcher",
    "the guard is not asked",
    "attempt.ts",
    "blocked === null\n        ?",
    "blocked !== undefined\n        ?"
  ),
  fault(
    "dispatcher",
    "the log says 0 for the time since the first attempt",
    "attempt.ts",
    "    elapsedMs: startedAt - firstAttemptAt,\n    // The",
    "    elapsedMs: 0,\n    // The"
  ),
  fault(
    "storage",
    "a claim has the fence of the one before",
    "sqlite/deliveries/claim.ts",
    "fence: fence + 1",
    "fence"
  ),
  fault(
    "storage",
    "lists are oldest first",
    "sql/recordings/lists.ts",
    'newestFirst = "ORDER BY created_at DESC, id DESC"',
    'newestFirst = "ORDER BY created_at, id"'
  ),
  fault(
    "storage",
    "sealed headers are all the first one",
    "sql/deliveries/attempts.ts",
    "values[next++]!",
    "values[0]!"
  ),
  fault(
    "fixtures",
    "an automation's headers are ignored",
    "entries.ts",
    "headers: entry.headers ?? {},\n    secret",
    "headers: {},\n    secret"
  ),
  fault(
    "fixtures",
    "tokens are not the given ones",
    "entries.ts",
    "{ text: entry.token }",
    '{ text: entry.token + "-" }'
  ),
  fault("client", "a list ends with its first page", "pages.ts", "? next_page : undefined", "? undefined : undefined"),
  fault(
    "server",
    "a file that ffmpeg cannot read is tried again",
    "media/job.ts",
    'failed.reason === "not_found"',
    'failed.reason === "failed"'
  ),
  fault("core", "a lease is never renewed", "jobs/JobRunner.ts", "jobLeaseMs / 3", "jobLeaseMs * 3"),
  fault(
    "console",
    "an automation's payload is not saved",
    "automations/AutomationForm.tsx",
    "headers: sent, payload,",
    "headers: sent, payload: null,"
  ),
  fault(
    "console",
    "a retry is shown at its delay, and not at all of them",
    "deliveries/schedule.ts",
    "afterMs += delay",
    "afterMs = delay"
  )
]
