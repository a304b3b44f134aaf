/**
 * Writes what is generated from declarations in the server: the tables of settings and metrics, and the schema of `tapedeck.yaml`. Run it with
 * `npx pnpm -F @tapedeck/server generate` after a change of a declaration; a test compares the result.
 */
import { writeFileSync } from "node:fs"
import { documents } from "./documents.ts"

for (const [path, text] of Object.entries(documents())) {
  writeFileSync(new URL(`../../../${path}`, import.meta.url), text)
}
