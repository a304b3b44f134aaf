import { readdirSync, readFileSync } from "node:fs"
import type { CpuClock } from "./ContenderProcess.ts"

/** Linux counts a process's time in hundredths of a second, for programs that ask. */
const msPerTick = 10

interface Times {
  readonly parent: number
  readonly ms: number
  /** Of children that have ended and were waited for. */
  readonly endedChildrenMs: number
}

const timesOf = (pid: number | string): Times | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name, in brackets, may hold spaces: what follows it are the third field and those after.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number) as [number, number, number, number]
    return {
      parent: Number(fields[1]),
      ms: (utime + stime) * msPerTick,
      endedChildrenMs: (cutime + cstime) * msPerTick
    }
  } catch {
    return undefined
  }
}

/** The time of a server and of all its processes, those that have ended too. Linux alone: undefined elsewhere. */
export const serverCpu = (pid: number | undefined): CpuClock | undefined => {
  if (pid === undefined || timesOf(pid) === undefined) return undefined
  return () => {
    const own = timesOf(pid)
    if (own === undefined) throw new Error(`the server (process ${pid}) is gone`)
    const children = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(timesOf)
      .filter((times) => times?.parent === pid)
    return children.reduce((sum, times) => sum + (times?.ms ?? 0), own.ms + own.endedChildrenMs)
  }
}
