import type { Events } from "../crash/Events.ts"
import type { Random } from "../determinism/Random.ts"
import type { TestPostgres } from "../postgres/index.ts"
import type { Judging, NodeFailure } from "./judge.ts"
import type { Node } from "./Node.ts"
import type { Witness } from "./Witness.ts"

export type Disturbance = "kill" | "stop" | "restart" | "cut"

export interface Disturbed {
  readonly nodes: ReadonlyArray<Node>
  readonly postgres: TestPostgres
  readonly witness: Witness
  readonly random: Random
  readonly events: Events
  readonly callerOf: Judging["callerOf"]
  /** Waits for leases to end, instead of letting their time pass. */
  readonly realLeases: boolean
}

const weighted = [
  [4, "kill"],
  [4, "cut"],
  [2, "stop"],
  [2, "restart"]
] as const

/** What is done to a cluster under load: what and when is the seed's choice, moments counted by what happens. */
export class Disturbances {
  readonly done: Record<Disturbance, number> = { kill: 0, stop: 0, restart: 0, cut: 0 }
  /** What was done to which node, by this machine's clock, which is the database's too. */
  readonly failures: Array<NodeFailure> = []
  private readonly of: Disturbed

  constructor(of: Disturbed) {
    this.of = of
  }

  /** One, after some events; the seed's choice, where none is given. Gives what it was. */
  async next(given?: Disturbance): Promise<string> {
    const { nodes, random } = this.of
    const what = given ?? random.weighted<Disturbance>(weighted)
    const node = random.pick(nodes)
    const after = random.integer(1, 200)
    await node.listening
    const told = await this.do(what, node, after)
    return `${told}, after ${after} events`
  }

  private async do(what: Disturbance, node: Node, after: number): Promise<string> {
    this.done[what] += 1
    switch (what) {
      case "kill":
        await this.after(after, [node], () => node.kill(), false)
        return `${node.name} was killed`
      case "cut":
        return this.cut(node, after)
      case "stop":
        return this.stopFor(node, after)
      case "restart":
        await this.after(after, this.of.nodes, () => {}, true)
        await this.of.postgres.restart("immediate")
        this.noted(this.of.nodes, true)
        return "PostgreSQL crashed and came back"
    }
  }

  private async cut(node: Node, after: number): Promise<string> {
    const { nodes, random } = this.of
    const cutOff = random.chance(0.3) ? nodes : [node]
    const cut = () => {
      for (const { proxy } of cutOff) proxy.cut()
    }
    await this.after(after, cutOff, cut, true)
    return `${cutOff === nodes ? "every node" : node.name} was cut off from PostgreSQL`
  }

  /** Stops a node until others have taken over its work; sometimes one of those fails meanwhile. */
  private async stopFor(node: Node, after: number): Promise<string> {
    const { events, nodes, random, witness } = this.of
    const others = nodes.filter((one) => one !== node)
    await this.after(after, [node], () => node.stop(), false)
    const stoppedAt = Date.now()
    // The time passes after which PostgreSQL ends what the node has begun and left open.
    const ending = setInterval(() => void witness.endIdleTransactions(node.proxy.open).catch(() => {}), 200)
    await events.after(random.integer(50, 150), () => {})
    const taken = await this.takenOver(node, stoppedAt)
    const inner = random.pick<Disturbance | null>([null, null, "kill", "cut"])
    const other = random.pick(others)
    const meanwhile = inner === null ? "" : ` (meanwhile ${await this.do(inner, other, random.integer(1, 100))})`
    const resume = () => {
      clearInterval(ending)
      node.resume()
    }
    await this.after(random.integer(100, 300), [node], resume, false)
    return `${node.name} was stopped until others had taken over its deliveries (${taken}), and went on${meanwhile}`
  }

  /** Waits until others have taken over what the node held when it was stopped; returns how much that was. */
  private async takenOver(node: Node, stoppedAt: number): Promise<number> {
    const { callerOf, realLeases, witness } = this.of
    const its = async () =>
      (await witness.leases()).filter((lease) => lease.at <= stoppedAt && callerOf(lease).node === node.name)
    const held = await its()
    if (!realLeases) await witness.age(held)
    while ((await its()).length > 0) await pause(100)
    return held.length
  }

  private async after(more: number, failing: ReadonlyArray<Node>, action: () => void, livedOn: boolean): Promise<void> {
    await this.of.events.after(more, () => {
      this.noted(failing, livedOn)
      action()
    })
  }

  private noted(failing: ReadonlyArray<Node>, livedOn: boolean): void {
    for (const { name } of failing) this.failures.push({ at: Date.now(), node: name, livedOn })
  }
}

/** Between two looks at what nothing tells of. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
