import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../../..")

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly scripts?: Readonly<Record<string, string>>
}

const published = globSync("{packages,apps}/*/package.json", { cwd: root })
  .map((path) => JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest)
  .filter((manifest) => manifest.private !== true)

test.each(published)("$name is built before it is packed, with what it depends on", ({ name, scripts }) => {
  expect(scripts?.prepack).toBe(`pnpm -w exec turbo run build --filter ${name}`)
})
