import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { freePort } from "../processes.ts"

export interface RedisServer {
  readonly pid: number
  readonly port: number
  readonly stop: () => Promise<void>
}

/**
 * Redis as BullMQ's page on production has it: an append-only file that is synced every second, and no key thrown away.
 * Undefined where it is not installed.
 */
export const startRedis = async (directory: string): Promise<RedisServer | undefined> => {
  const port = await freePort()
  const settings = {
    bind: "127.0.0.1",
    port: String(port),
    dir: directory,
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    "maxmemory-policy": "noeviction"
  }
  const child = spawn(
    "redis-server",
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  const started = await Promise.race([
    isReady(child),
    once(child, "error").then(([error]: ReadonlyArray<NodeJS.ErrnoException>) => {
      if (error?.code === "ENOENT") return false
      throw error
    })
  ])
  if (!started) return undefined
  return {
    pid: child.pid!,
    port,
    stop: async () => {
      const exited = once(child, "exit")
      child.kill()
      await exited
    }
  }
}

const isReady = async (child: ChildProcess): Promise<true> => {
  for await (const line of createInterface(child.stdout!)) {
    if (line.includes("Ready to accept connections")) {
      child.stdout!.resume()
      return true
    }
  }
  throw new Error("redis-server ended before it was ready")
}
