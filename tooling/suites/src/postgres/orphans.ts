import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

/** A process as the file `owner` of its cluster names it: a number alone may be another process's by now. */
interface Owner {
  readonly pid: number
  readonly started: string
}

const ask = (pid: number, column: "lstart" | "command"): string => {
  try {
    return execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  } catch {
    return ""
  }
}

/** When a process started, in the machine's own words; empty where there is none of that number. */
const startOf = (pid: number): string => {
  if (process.platform !== "linux") return ask(pid, "lstart")
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The command's name, in brackets, may hold spaces: what follows it are the third field and those after.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  } catch {
    return ""
  }
}

const commandOf = (pid: number): string => {
  if (process.platform !== "linux") return ask(pid, "command")
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

export const writeOwner = (cluster: string): void => {
  const owner: Owner = { pid: process.pid, started: startOf(process.pid) }
  writeFileSync(join(cluster, "owner"), JSON.stringify(owner))
}

const isOwned = (cluster: string): boolean => {
  try {
    const { pid, started } = JSON.parse(readFileSync(join(cluster, "owner"), "utf8")) as Owner
    return started !== "" && startOf(pid) === started
  } catch {
    // A cluster that is being made has no owner yet; that takes less than a minute.
    return existsSync(cluster) && Date.now() - statSync(cluster).mtimeMs < 60_000
  }
}

/** The server of a cluster, if it runs: its process has the cluster's directory in its command. */
export const serverOf = (cluster: string): number | undefined => {
  try {
    const pid = Number(readFileSync(join(cluster, "data/postmaster.pid"), "utf8").split("\n")[0])
    return commandOf(pid).includes(join(cluster, "data")) ? pid : undefined
  } catch {
    return undefined
  }
}

/** One that has ended and waits for its parent to notice has no command any more. */
const isThere = (pid: number): boolean => commandOf(pid) !== ""

/** Sends a process a signal that ends it, and waits until it is gone. */
export const end = async (pid: number, signal: NodeJS.Signals): Promise<void> => {
  if (isThere(pid)) process.kill(pid, signal)
  while (isThere(pid)) await setTimeout(5)
}

/** Stops the servers whose test processes are gone, and removes what they had. Gives the directories that it removed. */
export const removeOrphans = async (clusters: string): Promise<ReadonlyArray<string>> => {
  const all = readdirSync(clusters).map((name) => join(clusters, name))
  const orphans = all.filter((cluster) => !isOwned(cluster))
  for (const cluster of orphans) {
    const server = serverOf(cluster)
    // Immediate: nothing of it is needed any more.
    if (server !== undefined) await end(server, "SIGQUIT")
    rmSync(cluster, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  return orphans
}
