import { globSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { ondemand, type Registry } from "./registry.ts"
import { type Released, root, type Workplace } from "./Workplace.ts"

/** Copies the last commit, without a way to push from the copy, and installs its tools. */
export const copyTree = async ({ copy, run }: Workplace): Promise<string> => {
  const local = { cwd: root, env: process.env }
  await run("git", ["clone", "--quiet", "--shared", root, copy], local)
  await run("git", ["remote", "remove", "origin"])
  for (const [key, value] of [
    ["user.name", "release"],
    ["user.email", "release@localhost"]
  ] as const)
    await run("git", ["config", key, value])
  const pnpm = join(root, "node_modules/.bin/pnpm")
  await run(pnpm, ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: copy, env: process.env })
  const subject = await run("git", ["log", "-1", "--format=%h %s"])
  return `copied ${subject.trim()}`
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly publishConfig?: { readonly registry?: string }
}

/** Makes versions of the changesets, if there are any, and commits them. Returns the public packages. */
export const versionTree = async ({ copy, run }: Workplace): Promise<ReadonlyArray<Released>> => {
  if (globSync(".changeset/*.md", { cwd: copy }).some((path) => !path.endsWith("README.md"))) {
    await run("changeset", ["version"])
    await run("git", ["add", "--all"])
    await run("git", ["commit", "--quiet", "--message", "Version packages"])
  }
  const folders = globSync("{packages,apps}/*/package.json", { cwd: copy }).map((path) => join(copy, path, ".."))
  const released: Array<Released> = []
  for (const folder of folders.toSorted()) {
    const { name, private: isPrivate, publishConfig, version } = await readManifest(folder)
    if (isPrivate === true) continue
    // It would be stronger than the registry on loopback.
    if (publishConfig?.registry !== undefined) throw new Error(`${name}: publishConfig names a registry`)
    const changelog = await readFile(join(folder, "CHANGELOG.md"), "utf8").catch(() => "")
    if (!changelog.includes(`\n## ${version}\n`)) throw new Error(`${name}: CHANGELOG.md does not have ${version}`)
    released.push({ name, version, folder })
  }
  const versions = new Set(released.map(({ version }) => version))
  if (versions.size !== 1) throw new Error(`The packages have different versions: ${[...versions].join(", ")}`)
  if (/^0\./.test(released[0]?.version ?? "")) throw new Error("The changesets do not lead to a stable version")
  return released
}

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest

/** Builds and checks the versioned tree. What the checks install on demand comes from the machine's registry. */
export async function* checkTree({ copy, run }: Workplace): AsyncGenerator<string> {
  const local = { cwd: copy, env: { ...process.env, PATH: `${join(copy, "node_modules/.bin")}:${process.env.PATH}` } }
  await run("pnpm", ["check"], local)
  yield "the versioned tree passes pnpm check"
  await run("pnpm", ["release:check"], local)
  yield "the versioned tree passes pnpm release:check: publint, attw, sizes, API reports, every TypeScript"
}

interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, PublishedManifest>>
}

interface PublishedManifest {
  readonly dist: { readonly tarball: string }
  readonly repository?: { readonly url: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Publishes what is new, as a release does, and reads it back. */
export async function* publish(
  { folder, release, run }: Workplace,
  { url }: Registry,
  released: ReadonlyArray<Released>
): AsyncGenerator<string> {
  // The two commands of `pnpm release:publish` that precede the push.
  const github = { GITHUB_SERVER_URL: "https://git.test", GITHUB_REPOSITORY: "acme/tapedeck" }
  await run("node", ["tooling/suites/src/release/repository.ts"], { env: { ...release, ...github } })
  await run("changeset", ["publish"])
  const tags = (await run("git", ["tag", "--points-at", "HEAD"])).trim().split("\n")
  const untagged = released.filter(({ name, version }) => !tags.includes(`${name}@${version}`))
  if (untagged.length > 0) throw new Error(`Without a tag: ${untagged.map(({ name }) => name).join(", ")}`)
  yield `changeset publish released and tagged ${released.length} packages`
  for (const { name, version } of released) {
    const packument = (await (await fetch(`${url}${name.replace("/", "%2f")}`)).json()) as Packument
    const manifest = packument.versions?.[version]
    if (manifest === undefined || packument["dist-tags"].latest !== version)
      throw new Error(`${name}: the registry's latest version is not ${version}`)
    const { dependencies = {}, peerDependencies = {}, repository } = manifest
    if (repository?.url !== "git+https://git.test/acme/tapedeck.git")
      throw new Error(`${name}: the manifest has no repository, with which npm compares the provenance`)
    const local = Object.entries({ ...dependencies, ...peerDependencies }).filter(([, range]) => range.includes(":"))
    if (local.length > 0) throw new Error(`${name} has dependencies that only the workspace knows: ${local.join(", ")}`)
    const tarball = Buffer.from(await (await fetch(manifest.dist.tarball)).arrayBuffer())
    const path = join(folder, `${name.replace("/", "-")}.tgz`)
    await writeFile(path, tarball)
    const buffer = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length)
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } })
    if (messages.length > 0)
      throw new Error(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>)).join("\n"))
    const files = (await run("tar", ["-tzf", path])).split("\n")
    for (const file of ["LICENSE", "README.md", "CHANGELOG.md"])
      if (!files.includes(`package/${file}`)) throw new Error(`${name}: the tarball has no ${file}`)
    if (files.includes("package/dist/THIRD_PARTY_LICENSES")) {
      const bom = await run("tar", ["-xzOf", path, "package/dist/sbom.cdx.json"])
      yield `${name}@${version}: the bill of materials lists ${await packagesIn(bom, version)} packages, and is valid CycloneDX`
    }
    const requires = Object.entries(dependencies).map(([dependency, range]) => `${dependency} ${range}`)
    const size = `${Math.ceil(tarball.length / 1000)} kB`
    yield `${name}@${version}: ${size}, publint finds nothing; requires ${requires.join(", ") || "nothing"}`
  }
}

/** What is used of the validator, which is installed on demand. */
interface CycloneDx {
  readonly Validation: {
    readonly JsonStrictValidator: new (version: "1.6") => { readonly validate: (bom: string) => Promise<unknown> }
  }
}

/** Number of packages in a bill of materials. Throws if it is invalid, or not of this version. */
const packagesIn = async (bom: string, version: string): Promise<number> => {
  const { Validation } = installOnDemand(ondemand)("@cyclonedx/cyclonedx-library") as CycloneDx
  const errors = await new Validation.JsonStrictValidator("1.6").validate(bom)
  if (errors !== null) throw new Error(`The bill of materials is invalid: ${JSON.stringify(errors)}`)
  const { components, metadata } = JSON.parse(bom) as {
    readonly components: ReadonlyArray<unknown>
    readonly metadata: { readonly component: { readonly version: string } }
  }
  if (metadata.component.version !== version)
    throw new Error(`The bill of materials is of ${metadata.component.version}`)
  return components.length
}
