import { join } from "node:path"
import { Random } from "../determinism/Random.ts"
import { cert } from "../support/certificate.ts"
import { temporaryFolder } from "../support/process.ts"
import { audit, deliveriesOf, type Findings, onceALife } from "./audit.ts"
import { Client, type Target } from "./Client.ts"
import { Events } from "./Events.ts"
import { Life } from "./Life.ts"
import { admin, automations, fixturesFor } from "./load.ts"
import { Receiver } from "./Receiver.ts"

export interface CrashOptions {
  readonly seed: number
  readonly kills: number
  /** Told of each kill. */
  readonly tell?: (line: string) => void
}

const clientCount = 8

/**
 * A server under load that is killed again and again, at moments that the seed chooses by counting what happens; then what
 * there is, held against what clients were told and what a real receiver saw.
 */
export const crash = async ({ kills, seed, tell = () => {} }: CrashOptions): Promise<Findings> => {
  const random = new Random(seed)
  const events = new Events()
  const receiver = new Receiver(events)
  const folder = await temporaryFolder()
  const caFile = await folder.write("ca.pem", cert)
  const fixtures = await folder.write("fixtures.json", JSON.stringify(fixturesFor(await receiver.listen())))
  const start = () => {
    receiver.life += 1
    const network = ["--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
    const more = ["--fixtures", fixtures, "--page-size", "1000", ...network]
    return new Life({ data: join(folder.path, "data"), more })
  }
  const targetOf = async (life: Life): Promise<Target> => {
    const { base_url: baseUrl, tokens } = await life.listening
    return { baseUrl, token: tokens[admin]! }
  }

  let life = start()
  /** The server that is alive, or the next one. */
  let alive = Promise.resolve(life)
  let isOver = false
  const clients = Array.from(
    { length: clientCount },
    (_, index) => new Client(`client${index}`, new Random(random.integer(0, 2 ** 31)), events)
  )
  const working = clients.map((client) =>
    client.work(
      async () => targetOf(await alive),
      () => isOver
    )
  )
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await life.listening
      const after = random.integer(1, 200)
      await events.after(after, () => {
        life.kill("SIGKILL")
        alive = life.ended.then(() => start())
      })
      life = await alive
      tell(`kill ${kill} of ${kills}, after ${after} events: ${events.count} in all, ${receiver.hits.length} received`)
    }
    await events.after(400, () => {
      isOver = true
    })
    await Promise.all(working)
    const target = await targetOf(life)
    await untilSettled(target)
    const findings = await audit(target, clients, receiver.hits, automations, onceALife)
    life.kill("SIGTERM")
    const ending = await life.ended
    return ending === 0
      ? findings
      : { ...findings, faults: [...findings.faults, `asked to stop, it ended with ${ending}`] }
  } finally {
    isOver = true
    life.kill("SIGKILL")
    await Promise.allSettled(working)
    await receiver.close()
    await folder.remove()
  }
}

/** Waits until nothing is due or in flight: what is left waits for its retry. */
const untilSettled = async (target: Target): Promise<void> => {
  const isMoving = ({ state }: { readonly state: string }) => state === "scheduled" || state === "attempting"
  while ((await deliveriesOf(target, automations)).some(isMoving));
}
