import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect } from "vitest"

/** Waits until the server on a data directory has linked all its audit entries. */
export const auditLinked = async (data: string): Promise<void> => {
  const database = new DatabaseSync(join(data, "tapedeck.db"), { readOnly: true })
  const entries = database.prepare("SELECT count(*) AS count FROM audit_entries").get()
  const links = database.prepare("SELECT count(*) AS count FROM audit_seals")
  await expect.poll(() => links.get()).toEqual(entries)
  database.close()
}
