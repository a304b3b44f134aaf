import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../..")

/** The version of all packages, which a release has. `changeset version` writes it. */
export const version = (JSON.parse(readFileSync(join(root, "apps/server/package.json"), "utf8")) as { version: string })
  .version
