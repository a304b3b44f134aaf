/**
 * Writes the generated files below `src`: the wire types, and one method an operation, from the OpenAPI
 * documents of the contract. Run it with `npx pnpm -F @tapedeck/client generate` after a change of the contract; a test
 * compares the result.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { sources } from "./sources.ts"

for (const [path, text] of Object.entries(sources())) {
  const file = fileURLToPath(new URL(`../src/${path}`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
