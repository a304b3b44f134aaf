/** `pnpm run vectors`: makes `vectors/` anew. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeVectors } from "./makeVectors.ts"

for (const [name, file] of Object.entries(makeVectors())) {
  writeFileSync(join(import.meta.dirname, "../../vectors", name), JSON.stringify(file))
}
