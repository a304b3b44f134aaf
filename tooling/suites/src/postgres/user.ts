import { execFileSync } from "node:child_process"

/** PostgreSQL refuses to run as root: then it runs as the first of these users that the machine has. */
const candidates = ["postgres", "daemon"]

export interface Identity {
  readonly uid: number
  readonly gid: number
}

const idOf = (flag: "-u" | "-g", user: string): number | undefined => {
  try {
    return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  } catch {
    return undefined
  }
}

/** Who PostgreSQL is to run as; undefined: as the user who runs the tests. */
export const serverIdentity = (): Identity | undefined => {
  if (process.getuid === undefined) throw new Error("Tests on PostgreSQL run on Linux and macOS")
  if (process.getuid() !== 0) return undefined
  for (const user of candidates) {
    const [uid, gid] = [idOf("-u", user), idOf("-g", user)]
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  throw new Error(`PostgreSQL does not run as root, and this machine has none of the users ${candidates.join(", ")}`)
}
