import { readFileSync } from "node:fs"
import { request } from "node:http"
import { parentPort } from "node:worker_threads"
import type { Seen } from "./Watch.ts"

/** The thread of `Watch`. */

interface Followed {
  readonly hostname: string
  readonly port: string
  readonly path: string
  readonly pid: number
}

const everyMs = 50

let followed: Followed | undefined
let startMb = 0
let grownMb = 0
let slowestMs = 0
let slowestOfLapMs = 0
let failed: Array<string> = []
/** When the check in flight began. */
let began: number | undefined

const seenMs = (ms: number): void => {
  slowestMs = Math.max(slowestMs, ms)
  slowestOfLapMs = Math.max(slowestOfLapMs, ms)
}

const memoryMb = ({ pid }: Followed): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const check = (of: Followed): Promise<void> =>
  new Promise((resolve) => {
    const { hostname: host, path, port } = of
    began = performance.now()
    const over = (problem?: string) => {
      if (followed === of && began !== undefined) {
        seenMs(performance.now() - began)
        if (problem !== undefined) failed.push(problem)
      }
      began = undefined
      resolve()
    }
    const outgoing = request({ agent: false, host, port, path }, (answer) => {
      answer.resume()
      answer.on("error", (cause) => over(cause.message))
      answer.on("end", () => over(answer.statusCode === 200 ? undefined : `health: ${answer.statusCode}`))
    })
    outgoing.on("error", (cause) => over(`health: ${cause.message}`))
    outgoing.end()
  })

setInterval(() => {
  if (followed !== undefined) grownMb = Math.max(grownMb, memoryMb(followed) - startMb)
}, everyMs)

const go = async () => {
  for (;;) {
    if (followed !== undefined) await check(followed)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
void go()

parentPort?.on("message", (message: { follow?: Followed; lap?: true; take?: true; pause?: true }) => {
  if (message.pause) followed = undefined
  if (message.follow !== undefined) {
    followed = message.follow
    startMb = memoryMb(followed)
    parentPort?.postMessage("followed")
  }
  if (message.lap || message.take) seenMs(followed === undefined || began === undefined ? 0 : performance.now() - began)
  if (message.lap) {
    parentPort?.postMessage(slowestOfLapMs)
    slowestOfLapMs = 0
  }
  if (message.take) {
    const seen: Seen = { slowestMs, grownMb, failed }
    slowestMs = 0
    grownMb = 0
    failed = []
    if (followed !== undefined) startMb = memoryMb(followed)
    parentPort?.postMessage(seen)
  }
})
