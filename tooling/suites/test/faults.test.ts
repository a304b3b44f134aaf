import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { faults } from "../src/faults/faults.ts"

const root = join(import.meta.dirname, "../../..")

test.each(faults)("`pnpm test:faults` can plant in $package: $title", ({ file, from }) => {
  expect(readFileSync(join(root, file), "utf8").split(from)).toHaveLength(2)
})
