/**
 * The first step of `pnpm release:publish`. It refuses a tree with pending changesets, because a published version cannot be taken
 * back. Then it writes the repository into the manifest of each public package, because npm refuses a provenance without it. Only the
 * workflow that publishes knows the address, by the variables that GitHub sets.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const { GITHUB_REPOSITORY, GITHUB_SERVER_URL = "https://github.com" } = process.env
if (GITHUB_REPOSITORY === undefined) {
  console.error("GITHUB_REPOSITORY is not set: packages are published by .github/workflows/release.yml")
  process.exit(1)
}

const root = join(import.meta.dirname, "../../../..")
const pending = globSync(".changeset/*.md", { cwd: root }).filter((path) => !path.endsWith("README.md"))
if (pending.length > 0) {
  console.error(`Changesets are pending, so these versions are not final: ${pending.join(", ")}`)
  process.exit(1)
}
for (const path of globSync("{packages,apps}/*/package.json", { cwd: root })) {
  const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as { readonly private?: boolean }
  if (manifest.private === true) continue
  const url = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`
  const repository = { type: "git", url, directory: dirname(path) }
  writeFileSync(join(root, path), `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`)
}
