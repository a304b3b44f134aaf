/**
 * A fresh Node that imports the packed emulator: `inProcess.ts PACKAGE MEASURE`. Prints one line of JSON, or, for
 * `first`, a word as soon as the first request is answered.
 */
import { pathToFileURL } from "node:url"
import { token, uuidOf, worldDocument } from "./fixtures.ts"

const [folder, measure] = process.argv.slice(2) as [string, "first" | "replay" | "deliveries"]
const { startEmulator } = (await import(
  pathToFileURL(`${folder}/dist/index.js`).href
)) as typeof import("@tapedeck/emulator")

const median = (samples: ReadonlyArray<number>) => samples.toSorted((a, b) => a - b)[samples.length >> 1]!

const timed = async (action: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await action()
  return performance.now() - start
}

const firstAnswer = async () => {
  const emulator = await startEmulator({ fixtures: worldDocument(3) })
  const answer = await emulator.fetch("/api/v2/recordings", { headers: { authorization: `Bearer ${token}` } })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return emulator
}

const first = async () => {
  const one = await firstAnswer()
  console.log("answered")
  const seconds: Array<number> = []
  for (let round = 0; round < 9; round++) {
    let two: typeof one | undefined
    seconds.push(
      await timed(async () => {
        two = await firstAnswer()
      })
    )
    await two?.close()
  }
  await one.close()
  // The first of them is the second emulator of its process: the others find everything warm.
  console.log(JSON.stringify({ second_ms: seconds[0], later_ms: median(seconds.slice(1)) }))
}

const replay = async () => {
  const emulator = await startEmulator({ fixtures: worldDocument(1_000) })
  const replays: Array<number> = []
  const resets: Array<number> = []
  for (let round = 0; round < 31; round++) {
    await emulator.addToFolder("f", uuidOf(round))
    replays.push(
      await timed(async () => {
        const { fired } = await emulator.clock.advance({ by: "PT14H36M" })
        if (fired.length !== 6) throw new Error(`${fired.length} attempts`)
      })
    )
    resets.push(await timed(() => emulator.reset()))
  }
  await emulator.close()
  console.log(JSON.stringify({ replay_ms: median(replays), first_replay_ms: replays[0], reset_ms: median(resets) }))
}

const deliveries = async () => {
  const count = 10_000
  const emulator = await startEmulator({ fixtures: worldDocument(count) })
  for (let index = 0; index < count; index++) await emulator.addToFolder("f", uuidOf(index))
  const elapsedMs = await timed(async () => {
    const { fired } = await emulator.clock.advance({ until: "idle", max_events: 6 * count })
    if (fired.length !== 6 * count) throw new Error(`${fired.length} attempts`)
  })
  await emulator.close()
  console.log(JSON.stringify({ attempts_per_s: ((6 * count) / elapsedMs) * 1000 }))
}

await { first, replay, deliveries }[measure]()
