/**
 * Writes `src/generated/`: the wire types and one method an operation, from the OpenAPI documents of the contract.
 * Run it with `npx pnpm -F @tapedeck/client generate` after a change of the contract; a test compares the result.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { sources } from "./sources.ts"

const folder = new URL("../src/generated/", import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(sources())) writeFileSync(new URL(name, folder), text)
