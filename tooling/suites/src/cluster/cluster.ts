import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { audit, type Findings, type LoggedDelivery } from "../crash/audit.ts"
import { Client, type Target } from "../crash/Client.ts"
import { Events } from "../crash/Events.ts"
import { admin, automations, fixturesFor } from "../crash/load.ts"
import { type Hit, Receiver } from "../crash/Receiver.ts"
import { Random } from "../determinism/Random.ts"
import { startOwnPostgres, type TestDatabase } from "../postgres/index.ts"
import { cert } from "../support/certificate.ts"
import { runProcess, serverMain, temporaryFolder } from "../support/process.ts"
import { startBucket, unreliable } from "./Bucket.ts"
import { type Disturbance, Disturbances, pause } from "./Disturbances.ts"
import { type Caller, type History, isExplained, type Judging, judge } from "./judge.ts"
import { Node } from "./Node.ts"
import { type Change, Witness } from "./Witness.ts"

export interface ClusterOptions {
  readonly seed: number
  readonly nodes: number
  /** How many times something of the seed's choice is done to the cluster; or what, one after another. */
  readonly disturbances: number | ReadonlyArray<Disturbance>
  /** Stopped nodes' leases take the minute that they take. */
  readonly realLeases?: boolean
  readonly tell?: (line: string) => void
}

export interface ClusterFindings extends Findings {
  readonly disturbances: Readonly<Record<Disturbance, number>>
  /** Attempts that were begun and never recorded. */
  readonly lost: number
  /** Answers that a node could not do it, as long as the database was not there. */
  readonly failed: number
  readonly failedStarts: number
}

const clientsANode = 3

/** The receiver answers late, so that a stopped or killed node has deliveries in flight. */
const lateness = 60

/**
 * Nodes on one PostgreSQL under load, to which this and that is done at moments that the seed chooses; then what there is, held
 * against what clients were told, what a real receiver saw, and what the database saw of each delivery.
 */
export const cluster = async (options: ClusterOptions): Promise<ClusterFindings> => {
  const { disturbances: wanted, nodes: count, realLeases = false, seed, tell = () => {} } = options
  const random = new Random(seed)
  const events = new Events()
  const receiver = new Receiver(events, lateness)
  const folder = await temporaryFolder()
  const postgres = await startOwnPostgres()
  const bucket = await startBucket(unreliable(new Random(random.integer(0, 2 ** 31))))
  const database = await postgres.createDatabase()
  const caFile = await folder.write("ca.pem", cert)
  const fixtures = await folder.write("fixtures.json", JSON.stringify(fixturesFor(await receiver.listen())))
  const environment = { TAPEDECK_KEY: randomBytes(32).toString("base64"), ...bucket.environment }
  const network = ["--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
  const more = ["--fixtures", fixtures, "--page-size", "1000", ...network]
  let isOver = false
  let working: ReadonlyArray<Promise<void>> = []
  // All at the same moment, on a database of nothing.
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const name = `node${index + 1}`
      const life = { data: join(folder.path, name), environment, more }
      return Node.start({ name, databaseUrl: database.url, life })
    })
  )
  const callerOf = callerAmong(nodes)
  const targetOf = async (node: Node): Promise<Target> => {
    const { base_url: baseUrl, tokens } = await node.listening
    return { baseUrl, token: tokens[admin]! }
  }
  try {
    await Promise.all(nodes.map(({ listening }) => listening))
    const witness = new Witness(database)
    await witness.install()
    const clients = Array.from(
      { length: clientsANode * count },
      (_, index) => new Client(`client${index}`, new Random(random.integer(0, 2 ** 31)), events, true)
    )
    working = clients.map((client, index) =>
      client.work(
        () => targetOf(upNear(nodes, index)),
        () => isOver
      )
    )
    const disturbed = new Disturbances({ nodes, postgres, witness, random, events, realLeases, callerOf })
    for (const [index, what] of (typeof wanted === "number" ? Array(wanted).fill(undefined) : wanted).entries()) {
      const told = await disturbed.next(what)
      tell(`${index + 1}: ${told}; ${events.count} events, ${receiver.hits.length} received`)
    }
    await events.after(150, () => {
      isOver = true
    })
    await Promise.all(working)
    await Promise.all(nodes.map(({ listening }) => listening))
    receiver.hurry()
    const judging = { callerOf, failures: disturbed.failures }
    await untilQuiet(witness, judging)
    const target = await targetOf(nodes[0]!)
    const received: Array<readonly [LoggedDelivery, ReadonlyArray<Hit>]> = []
    const found = await audit(target, clients, receiver.hits, automations, (...one) => {
      received.push(one)
      return []
    })
    // Read after what was received: retries fall due meanwhile, and are begun before they are sent.
    const changes = await witness.changes()
    const hits = Map.groupBy(receiver.hits, ({ id }) => id)
    const receivedAt = (id: string) => (hits.get(id) ?? []).map(({ at }) => at)
    const histories = historiesOf(changes, { ...judging, receivedAt })
    const ends = await Promise.all(nodes.map(async (node) => [node.name, await node.end()] as const))
    const faults = [
      ...found.faults,
      ...received.flatMap((one) => begunFaults(histories, ...one)),
      ...[...histories].flatMap(([id, { faults: all }]) => all.map((fault) => `delivery ${id}: ${fault}`)),
      ...(await witness.rewritten()),
      ...nodes.flatMap((node) => node.faults),
      ...ends.flatMap(([name, end]) => (end === 0 ? [] : [`${name} was asked to stop, and ended with ${end}`])),
      ...(await doctorFaults(database, environment, join(folder.path, "node1")))
    ]
    return {
      ...found,
      faults,
      disturbances: disturbed.done,
      lost: [...histories.values()].reduce((sum, { lost }) => sum + lost, 0),
      failed: clients.reduce((sum, { failed }) => sum + failed, 0),
      failedStarts: nodes.reduce((sum, { failedStarts }) => sum + failedStarts, 0)
    }
  } finally {
    isOver = true
    await Promise.all(nodes.map((node) => node.close()))
    await Promise.allSettled(working)
    await receiver.close()
    bucket.close()
    await postgres.close()
    await folder.remove()
  }
}

/** The client's own node, or the next one that is up; its own where none is, which will be again. */
const upNear = (nodes: ReadonlyArray<Node>, index: number): Node => {
  const at = index % nodes.length
  return [...nodes.slice(at), ...nodes.slice(0, at)].find(({ isUp }) => isUp) ?? nodes[at]!
}

/** After so many polls without a change, five a second, a claim's holder has lost it, or its record. */
const [patience, mostPatience] = [10, 300]

/** Waits until nothing is due or claimed: what is left waits for its retry. Leases of lost nodes end meanwhile. */
const untilQuiet = async (witness: Witness, judging: Judging): Promise<void> => {
  let before = 0
  let still = 0
  for (let moving = await witness.moving(); moving > 0; moving = await witness.moving()) {
    still = moving === before ? still + 1 : 0
    before = moving
    if (still >= patience) {
      const leases = await witness.leases()
      // What nothing explains ends too in the end, and is told of as a fault.
      await witness.age(still < mostPatience ? leases.filter((lease) => isExplained(lease, judging)) : leases)
    }
    await pause(200)
  }
}

const unknown: Caller = { node: "unknown", life: 0 }

/** Whose a connection was, by the port that it came from and the time. */
const callerAmong =
  (nodes: ReadonlyArray<Node>): Judging["callerOf"] =>
  ({ at, port }) => {
    const calls = nodes.flatMap(({ proxy }) => proxy.callsFrom(port)).filter((call) => call.at <= at)
    return calls.toSorted((a, b) => b.at - a.at)[0]?.caller ?? unknown
  }

const historiesOf = (changes: ReadonlyArray<Change>, judging: Judging): ReadonlyMap<string, History> =>
  new Map([...Map.groupBy(changes, ({ id }) => id)].map(([id, its]) => [id, judge(its, judging)] as const))

/** An attempt is begun in the database before anything is sent. */
const begunFaults = (histories: ReadonlyMap<string, History>, { id }: LoggedDelivery, hits: ReadonlyArray<Hit>) => {
  const begun = histories.get(id)?.begun ?? 0
  if (hits.length <= begun) return []
  const received = hits.map(({ at }) => at).join(", ")
  return [`${id}: received at ${received}; ${begun} attempts were begun: ${histories.get(id)?.told}`]
}

/** What the program finds that operators run, with the nodes' settings. */
const doctorFaults = async (
  { url }: TestDatabase,
  environment: Readonly<Record<string, string>>,
  data: string
): Promise<ReadonlyArray<string>> => {
  const settings = { ...environment, TAPEDECK_DATABASE_URL: url }
  const runs = await Promise.all(
    [["doctor"], ["doctor", "deliveries"], ["audit", "verify"]].map(async (command) => {
      const ended = await runProcess(serverMain, [...command, "--data", data], settings)
      return [command.join(" "), ended] as const
    })
  )
  return runs.flatMap(([command, { code, stderr, stdout }]) =>
    code === 0 ? [] : [`${command} ended with ${code}: ${stdout}${stderr}`]
  )
}
