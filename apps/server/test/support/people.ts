import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "./command.ts"

export const recording = "00000000-0000-4000-8000-000000000001"
export const adminToken = "ada-token"

/** Writes a start document: an admin, one recording of hers, and what else is given. Gives the options to start with. */
export const startedWith = (more: Readonly<Record<string, unknown>> = {}): ReadonlyArray<string> => {
  const file = join(temporaryFolder(), "fixtures.json")
  const users = [{ email: "ada@acme.test", name: "Ada", role: "admin", token: adminToken }]
  const recordings = [{ uuid: recording, title: "One", user: "ada@acme.test" }]
  writeFileSync(file, JSON.stringify({ users, recordings, ...more }))
  return ["--store", "memory", "--fixtures", file]
}

export const asAdmin = { authorization: `Bearer ${adminToken}` }
