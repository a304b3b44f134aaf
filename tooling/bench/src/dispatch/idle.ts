import { setTimeout as sleep } from "node:timers/promises"
import { median } from "../measure.ts"
import type { ContenderProcess } from "./ContenderProcess.ts"
import type { Field } from "./field.ts"
import { askReceiver } from "./received.ts"

const samples = 25
const warmUpSamples = 5

/** Pause between two deliveries; irregular, so that it is not in step with polling. */
const pauseMs = () => 150 + Math.random() * 250

const limitMs = 60_000

interface Pair {
  readonly works: ContenderProcess
  readonly submits: ContenderProcess
}

/** From the commit in one process to the first bytes at the receiver from the other, ms: the median, in turns. */
export const idleLatencies = async (
  field: Field,
  pairs: Readonly<Record<string, Pair>>
): Promise<Record<string, number>> => {
  const engines = Object.entries(pairs).map(([name, pair]) => ({ name, ...pair, seen: [] as number[] }))
  for (const { works } of engines) await works.work()
  for (let sample = -warmUpSamples; sample < samples; sample++) {
    for (const { seen, submits } of engines) {
      await sleep(pauseMs())
      const latencyMs = await submitAndWait(field, submits)
      if (sample >= 0) seen.push(latencyMs)
    }
  }
  return Object.fromEntries(engines.map(({ name, seen }) => [name, median(seen)]))
}

const submitAndWait = async ({ url }: Field, submits: ContenderProcess): Promise<number> => {
  const before = await askReceiver(url)
  const committedAt = await submits.submit()
  const deadline = performance.now() + limitMs
  for (;;) {
    const { lastAtNs, received } = await askReceiver(url)
    if (received > before.received) return Number(BigInt(lastAtNs) - committedAt) / 1e6
    if (performance.now() > deadline) throw new Error(`${submits.program}: nothing came within ${limitMs} ms`)
    await sleep(5)
  }
}
