import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { get } from "node:http"

/**
 * Runs contenders side by side, in turns, so that whatever the machine does meanwhile meets all of them alike. Each contender
 * gives one sample a round, in any unit. Warm-up rounds come first and are not counted.
 */
export const interleave = async <Name extends string>(
  contenders: Readonly<Record<Name, () => number | Promise<number>>>,
  { rounds, warmUpRounds = 1 }: { readonly rounds: number; readonly warmUpRounds?: number }
): Promise<Record<Name, ReadonlyArray<number>>> => {
  const names = Object.keys(contenders) as Array<Name>
  const samples = Object.fromEntries(names.map((name) => [name, [] as Array<number>])) as Record<Name, Array<number>>
  let last: Name | undefined
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const name of orderOf(names, round, last)) {
      const sample = await contenders[name]()
      if (round >= 0) samples[name].push(sample)
      last = name
    }
  }
  return samples
}

/**
 * The order of a round. It differs between rounds, so that no contender always follows the same one, and is the same in each
 * run. No contender is first after it was last, because its connections would be warm.
 */
const orderOf = <Name extends string>(
  names: ReadonlyArray<Name>,
  round: number,
  last: Name | undefined
): ReadonlyArray<Name> => {
  const place = (name: Name) => createHash("sha256").update(`${round} ${name}`).digest("hex")
  const order = names.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  const [first, ...others] = order
  return first === undefined || first !== last ? order : [...others, first]
}

/** The middle sample, or the mean of the two in the middle. */
export const median = (samples: ReadonlyArray<number>): number => {
  if (samples.length === 0) throw new Error("median of no samples")
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** Median by median. For rates, ours first: above 1 is faster. For durations, the peer's first. */
export const ratioOfMedians = (numerator: ReadonlyArray<number>, denominator: ReadonlyArray<number>): number =>
  median(numerator) / median(denominator)

/** How long `action` takes, in ms. */
export const timed = async (action: () => unknown): Promise<number> => {
  const start = performance.now()
  await action()
  return performance.now() - start
}

export interface StartUp {
  readonly command: string
  readonly parameters: ReadonlyArray<string>
  /** Added to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
  /** Ready at the first 2xx answer to a GET of an http URL, or at the first standard output that matches a pattern. */
  readonly ready: ReadyUrl | { readonly output: RegExp }
  /** Maximum time until it is ready, in milliseconds. Default: 10,000. */
  readonly limitMs?: number
}

/** How long a command takes from its spawn until it is ready, in ms. The process has ended when this returns. */
export const startUpMs = async ({ limitMs = 10_000, ...start }: StartUp): Promise<number> => {
  const startedAt = performance.now()
  const child = spawn(start.command, start.parameters, {
    cwd: start.directory,
    env: { ...process.env, ...start.environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const limit = AbortSignal.timeout(limitMs)
  try {
    const ready = "url" in start.ready ? firstAnswer(start.ready, limit) : firstMatch(child, start.ready.output, limit)
    await Promise.race([ready, ended(child)])
    return performance.now() - startedAt
  } catch (cause) {
    const why = limit.aborted ? `was not ready within ${limitMs} ms` : (cause as Error).message
    throw new Error(`${start.command} ${start.parameters.join(" ")} ${why}${errors && `:\n${errors}`}`, { cause })
  } finally {
    await stop(child)
  }
}

const ended = async (child: ChildProcess): Promise<never> => {
  const [status, signal] = await once(child, "exit")
  throw new Error(`ended before it was ready (${signal ?? `exit code ${status}`})`)
}

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

const firstMatch = (child: ChildProcess, pattern: RegExp, limit: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text
      if (pattern.test(output)) resolve()
    })
    limit.addEventListener("abort", () => reject(limit.reason))
  })

interface ReadyUrl {
  readonly url: string
  readonly token?: string
}

/** Sends requests every millisecond until one is answered with 2xx. */
const firstAnswer = async (ready: ReadyUrl, limit: AbortSignal): Promise<void> => {
  for (;;) {
    limit.throwIfAborted()
    if (await isReady(ready, limit)) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const isReady = ({ token, url }: ReadyUrl, limit: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    get(url, { agent: false, signal: limit, headers }, (response) => {
      response.resume()
      const status = response.statusCode ?? 0
      response.on("end", () => resolve(status >= 200 && status < 300))
      response.on("error", () => resolve(false))
    }).on("error", () => resolve(false))
  })
