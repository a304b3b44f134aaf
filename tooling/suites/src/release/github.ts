/**
 * `pnpm release:github`: makes the release of this commit's version on GitHub, with the files of `release:files`, by GitHub's command
 * `gh`. A release that exists stays as it is, because its files may have been downloaded. With `--state` it makes nothing, and writes
 * `state=missing` or `state=released` for the next steps of the job, so that files are attested only for a release that is made of
 * them. Only the workflow that publishes knows the repository and the commit, by the variables that GitHub sets.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { version } from "./version.ts"

const { GITHUB_REPOSITORY, GITHUB_SERVER_URL = "https://github.com", GITHUB_SHA } = process.env
if (GITHUB_REPOSITORY === undefined || GITHUB_SHA === undefined) {
  console.error("GITHUB_REPOSITORY and GITHUB_SHA are not set: .github/workflows/release.yml makes the release")
  process.exit(1)
}

const {
  positionals: [folder = "dist/release"],
  values
} = parseArgs({ options: { state: { type: "boolean", default: false } }, allowPositionals: true })

const tag = `v${version}`
const repository = ["--repo", GITHUB_REPOSITORY]
const viewed = spawnSync("gh", ["release", "view", tag, ...repository, "--json", "isDraft"], { encoding: "utf8" })
if (viewed.error !== undefined) throw viewed.error
// Anything else, such as a network that is down, says nothing about the release.
if (viewed.status !== 0 && !viewed.stderr.includes("release not found")) {
  console.error(`gh cannot say whether ${tag} exists: ${viewed.stderr.trim()}`)
  process.exit(1)
}
const isDraft = viewed.status === 0 && (JSON.parse(viewed.stdout) as { isDraft: boolean }).isDraft
const isReleased = viewed.status === 0 && !isDraft
if (isReleased) console.log(`${tag} is released already`)
if (values.state) appendFileSync(process.env.GITHUB_OUTPUT ?? "", `state=${isReleased ? "released" : "missing"}\n`)
if (isReleased || values.state) process.exit()

const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8")
const files = [...sums.matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)].map(([, name = ""]) => join(folder, name))
const missing = files.filter((file) => !existsSync(file))
if (files.length === 0 || missing.length > 0) {
  console.error(missing.length > 0 ? `Missing: ${missing.join(", ")}` : `${folder}/SHA256SUMS names no file`)
  process.exit(1)
}

const changelog = (of: string) => `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/${tag}/${of}/CHANGELOG.md`
const notes = `Changes of [the server](${changelog("apps/server")}) and of [the emulator](${changelog("packages/emulator")}).

\`SHA256SUMS\` has the sums of all files. Check what you downloaded in its folder:

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
\`\`\`
`
const gh = (...args: ReadonlyArray<string>) => execFileSync("gh", args, { stdio: "inherit" })
// A draft is what an earlier run left unfinished.
if (isDraft) gh("release", "delete", tag, ...repository, "--yes")
const texts = ["--target", GITHUB_SHA, "--title", `Tapedeck ${version}`, "--notes", notes]
// The newest release is what `releases/latest` downloads.
const preRelease = version.includes("-") ? ["--prerelease", "--latest=false"] : []
gh("release", "create", tag, ...repository, ...texts, ...preRelease, join(folder, "SHA256SUMS"), ...files)
