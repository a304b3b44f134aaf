import type { QueueKey } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"
import { add } from "./counts.ts"
import { Pace } from "./Pace.ts"

/** So many receivers' hosts are memoized. */
const mostReceivers = 10_000

/** What is in hand, and what is answered and yet to be recorded: how much, whose, and where. */
export class InHand {
  /** How fast hosts answer. */
  readonly pace: Pace
  count = 0
  recording = 0
  private readonly byAccount = new Map<AccountId, number>()
  private readonly byHost = new Map<string, number>()
  /** Where receivers were when they were last called: their configuration may say otherwise by now. */
  private readonly hosts = new Map<string, string>()

  constructor(nowMs: () => number) {
    this.pace = new Pace(nowMs)
  }

  of(account: AccountId): number {
    return this.byAccount.get(account) ?? 0
  }

  at(host: string): number {
    return this.byHost.get(host) ?? 0
  }

  /** As far as is known. */
  hostOf(receiver: QueueKey["receiver"]): string | undefined {
    return this.hosts.get(receiver)
  }

  begin({ accountId }: QueueKey, host: string | undefined) {
    this.count++
    add(this.byAccount, accountId, 1)
    if (host !== undefined) add(this.byHost, host, 1)
  }

  move({ receiver }: QueueKey, from: string | undefined, to: string) {
    if (from !== undefined) add(this.byHost, from, -1)
    add(this.byHost, to, 1)
    if (this.hosts.size >= mostReceivers) this.hosts.clear()
    this.hosts.set(receiver, to)
  }

  /** It is over, but for its record. */
  end({ accountId }: QueueKey, host: string | undefined) {
    this.count--
    this.recording++
    add(this.byAccount, accountId, -1)
    if (host !== undefined) add(this.byHost, host, -1)
  }

  recorded() {
    this.recording--
  }
}
