/** `pnpm site`: builds the documentation site into `dist/`. See `usage`. */
import { spawn } from "node:child_process"
import { cp, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { checkBuilt } from "./checkBuilt.ts"
import { llmsFull, llmsIndex } from "./llms.ts"
import { root } from "./pages.ts"
import { imagePath, makeSite, type Site, type SiteOptions } from "./site.ts"
import { dist, ondemand, siteFile } from "./siteFile.ts"
import { writePageScripts } from "./writePageScripts.ts"

const usage = `pnpm site [--serve] [--base PATH] [--sources URL]

Builds the documentation site into apps/docs/dist.

  --serve        serves the built site on a port of this machine
  --base PATH    path below which the site is served, for example /tapedeck/ (default: /)
  --sources URL  address of the repository's files, for links to files that are no pages`

/** Reads the options. Prints an unknown option with the usage, and exits with 2. */
const readOptions = () => {
  try {
    return parseArgs({
      options: {
        serve: { type: "boolean", default: false },
        base: { type: "string", default: "/" },
        sources: { type: "string" },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

const values = readOptions()

const astro = (...parameters: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const command = join(ondemand, "node_modules/astro/bin/astro.mjs")
    const child = spawn(process.execPath, [command, ...parameters], {
      cwd: ondemand,
      stdio: "inherit",
      env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", NODE_ENV: "production" }
    })
    child.on("error", reject)
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`astro ${parameters[0]} exited with ${code}`))
    )
  })

/** Writes what Astro does not: pages as Markdown, the files for agents, the scripts of pages, and the pictures. */
const writeOthers = async (site: Site, options: SiteOptions): Promise<void> => {
  for (const { markdown, path } of site.pages) await write(`${path === "" ? "index" : path}.md`, markdown)
  await write("llms.txt", llmsIndex(site, options))
  await write("llms-full.txt", llmsFull(site, options))
  await writePageScripts(dist)
  for (const image of site.images) await cp(join(root, image), join(dist, imagePath(image)))
}

const write = async (path: string, text: string): Promise<void> => {
  const file = join(dist, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const build = async (options: SiteOptions): Promise<void> => {
  const site = await makeSite(options)
  installOnDemand(ondemand)
  await writeFile(siteFile, JSON.stringify({ base: options.base, ...site }))
  await astro("build")
  await writeOthers(site, options)
  const problems = checkBuilt(dist, options.base)
  if (problems.length > 0) throw new Error(`The built site has errors:\n${problems.join("\n")}`)
  console.log(`Built ${site.pages.length} pages in apps/docs/dist.`)
}

const slashed = (base: string): string => `/${base}/`.replace(/\/+/g, "/")

if (values.help) console.log(usage)
else {
  await build({ base: slashed(values.base), ...(values.sources !== undefined && { sources: values.sources }) })
  if (values.serve) await astro("preview")
}
