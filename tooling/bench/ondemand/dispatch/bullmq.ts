/** BullMQ on Redis: a worker with as many slots; outcomes are kept with the jobs, as their return values. */
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { attempt, type Sendable, signWithLibrary, withoutSending } from "../../src/dispatch/attempt.ts"
import { contend } from "../../src/dispatch/contender.ts"
import { deliveriesOf, maxInFlight } from "../../src/dispatch/fixtures.ts"

const [port = "", url = "", ...modes] = process.argv.slice(2)
const sends = !modes.includes("engine")
const name = `deliver-${modes.join("-") || "dispatch"}`

const connect = () => new Redis(Number(port), "127.0.0.1", { maxRetriesPerRequest: null })
const queue = new Queue<Sendable>(name, { connection: connect() })

let left = 0
let allCompleted = () => {}

const worker = new Worker<Sendable>(
  name,
  async ({ data }) => (sends ? attempt(data, url, signWithLibrary) : withoutSending(data)),
  { connection: connect(), concurrency: maxInFlight, autorun: false }
)
worker.on("completed", () => {
  if (--left === 0) allCompleted()
})
worker.on("error", (error) => console.error(error))
await worker.waitUntilReady()
await queue.waitUntilReady()

let running: Promise<void> | undefined
const start = () => {
  if (running === undefined) running = worker.run()
  else worker.resume()
}

const add = (round: number, count: number) =>
  queue.addBulk(deliveriesOf(round, count).map(({ body, id }) => ({ name: "deliver", data: { id, body } })))

contend({
  prepare: async (round, count) => {
    await add(round, count)
    left = count
  },
  play: async () => {
    const all = new Promise<void>((resolve) => {
      allCompleted = resolve
    })
    start()
    await all
  },
  finish: () => worker.pause(),
  work: async () => start(),
  submit: async (round) => void (await add(round, 1))
})
