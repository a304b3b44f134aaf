import { execFileSync, spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { stringify } from "yaml"
import { freePort } from "../support/process.ts"
import type { Workplace } from "./Workplace.ts"

export const ondemand = join(import.meta.dirname, "ondemand")

/** A registry on loopback that accepts `@tapedeck/…`, and passes on reads of other packages to the machine's registry. */
export interface Registry {
  readonly url: string
  /** Permits one user to publish. */
  readonly token: string
}

const settings = (upstream: string) => ({
  storage: "./storage",
  auth: { htpasswd: { file: "./htpasswd", max_users: 1 } },
  // Metadata is read once: the first minutes measure npm, not this proxy.
  uplinks: { machine: { url: upstream, timeout: "60s", maxage: "60m", max_fails: 100, fail_timeout: "1s" } },
  packages: {
    "@tapedeck/*": { access: "$all", publish: "$authenticated" },
    "**": { access: "$all", proxy: "machine" }
  },
  // A tarball comes in base64, in one body.
  max_body_size: "100mb",
  web: { enable: false },
  log: { type: "file", path: "./verdaccio.log", level: "warn" }
})

/** Starts Verdaccio, and waits until it answers. It is stopped at the end of the rehearsal. */
export const startRegistry = async (workplace: Workplace): Promise<Registry> => {
  const folder = join(workplace.folder, "registry")
  const require = installOnDemand(ondemand)
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  await mkdir(folder)
  const config = join(folder, "config.yaml")
  await writeFile(config, stringify(settings(upstream)))
  const url = `http://127.0.0.1:${await freePort()}/`
  const main = join(dirname(require.resolve("verdaccio/package.json")), "bin/verdaccio")
  const child = spawn(process.execPath, [main, "--config", config, "--listen", url], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  workplace.atEnd(() => void child.kill())
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text))
  // Verdaccio reports to its parent when it listens.
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve())
    child.once("error", reject)
    child.once("exit", () => reject(new Error(`The registry ended before it listened: ${output}`)))
  })
  const user = { name: "release", password: crypto.randomUUID() }
  const answer = await fetch(`${url}-/user/org.couchdb.user:release`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user)
  })
  const { token } = (await answer.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`The registry gave no token: ${answer.status}`)
  return { url, token }
}
