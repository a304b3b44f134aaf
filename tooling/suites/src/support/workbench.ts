import { expect } from "vitest"
import { acme, ada, users, uuid } from "./acme.ts"
import { type Behaviour, type Received, type Receiver, receiver, unusedUrl } from "./receiver.ts"
import { type Json, type Settings, signIn } from "./settings.ts"
import { bodyOf, type Running, type Target } from "./target.ts"

/** What suites run on that make all they need through the settings API: any target, and one that other suites share. */

/** One attempt as the execution log has it. */
export interface LoggedAttempt extends Json {
  readonly timestamp: string
  readonly outcome: string
  readonly status_code: number | null
  readonly request: { readonly method: string; readonly url: string; readonly body: string } | null
  readonly response: { readonly body: string; readonly truncated: boolean } | null
}

/** One delivery as the execution log has it. */
export interface LoggedDelivery extends Json {
  readonly id: string
  readonly event: string
  readonly state: string
  readonly next_attempt_at: string | null
  readonly attempts: ReadonlyArray<LoggedAttempt>
}

export interface Made extends Json {
  readonly id: string
  readonly folder_id: string
}

/** No policy lets it through: an attempt is blocked at once, wherever the tests run. */
export const nowhere = "https://10.1.2.3/hook"

/** Members of Acme whom one test each uses up. */
const spare = Array.from({ length: 40 }, (_, n) => ({
  id: 101 + n,
  email: `member-${n}@acme.test`,
  name: `Member ${n}`,
  role: "member",
  token: `token-of-member-${n}`,
  account: 1
}))

const document = acme({
  users: [...users, ...spare],
  // The emulator looks up no other host than those that it is told of.
  config: { allow_receivers: ["receiver.invalid"] },
  folders: [{ id: "f1", name: "VIP" }],
  recordings: [{ uuid: uuid(1), title: "Put in place", user: "bob@acme.test", folder: "f1" }],
  automations: [{ id: "a1", folder: "f1", url: nowhere }],
  audit_destinations: [{ id: "d1", name: "SIEM", url: nowhere, enabled: false }]
})

const shared = new WeakMap<Target, Promise<Running>>()
const spareLeft = new WeakMap<Running, Array<(typeof spare)[number]>>()

/** The one service of a target that these suites share: people as in `acme`, recording 1 in the folder f1, a1 and d1. */
const sharedService = (target: Target): Promise<Running> => {
  const running = shared.get(target) ?? target.start(document)
  shared.set(target, running)
  return running
}

/** Makes what a test needs, as Ada signed in. */
export class Workbench {
  readonly running: Running
  readonly settings: Settings
  /** Of the receivers that the service calls. */
  readonly receiverScheme: Target["receiverScheme"]

  private constructor(running: Running, settings: Settings, scheme: Target["receiverScheme"]) {
    this.running = running
    this.settings = settings
    this.receiverScheme = scheme
  }

  static async of(target: Target): Promise<Workbench> {
    const running = await sharedService(target)
    return new Workbench(running, await signIn(running, "ada@acme.test"), target.receiverScheme)
  }

  receiver(behave: (request: Received, nth: number) => Behaviour | Promise<Behaviour>): Promise<Receiver> {
    return receiver(behave, "127.0.0.1", this.receiverScheme)
  }

  /** The address of a receiver that does this: answers, or fails at a stage. */
  async urlOf(outcome: Behaviour | "refused" | "dns" | "tls"): Promise<string> {
    if (outcome === "refused") return (await unusedUrl()).replace("http:", `${this.receiverScheme}:`)
    // There is no such host, and there never will be (RFC 6761).
    if (outcome === "dns") return "https://receiver.invalid/hook"
    if (outcome === "tls") return (await receiver(() => ({ status: 200 }))).url.replace("http:", "https:")
    return (await this.receiver(() => outcome)).url
  }

  /** A member for one test alone: what a caller is refused again within the hour makes no audit entry (A8). */
  member(): (typeof spare)[number] {
    const left = spareLeft.get(this.running) ?? [...spare]
    spareLeft.set(this.running, left)
    const [member] = left.splice(0, 1)
    if (member === undefined) throw new Error("every spare member is used up: add some")
    return member
  }

  async folder(name = "New"): Promise<string> {
    return (await this.settings.make<Made>("/folders", { name })).id
  }

  async recording(json: Json = {}): Promise<string> {
    return (await this.settings.make<{ uuid: string }>("/recordings", { title: "Checkout fails", ...json })).uuid
  }

  /** An automation of a new folder, unless one is named. */
  async automation(json: Json): Promise<Made> {
    return this.settings.make<Made>("/automations", { folder_id: json.folder_id ?? (await this.folder()), ...json })
  }

  destination(json: Json): Promise<Made> {
    return this.settings.make<Made>("/audit-destinations", { name: "New", ...json })
  }

  file(recording: string, folder: string): Promise<unknown> {
    return this.settings.act("PUT", `/recordings/${recording}/folder`, { folder_id: folder })
  }

  /** Puts a new recording into an automation's folder. */
  async fire({ folder_id }: Made, recording?: string): Promise<string> {
    const filed = recording ?? (await this.recording())
    await this.file(filed, folder_id)
    return filed
  }

  /** The execution log, newest first. */
  async log(owner: string): Promise<ReadonlyArray<LoggedDelivery>> {
    return (await this.settings.get<{ deliveries: ReadonlyArray<LoggedDelivery> }>(`${owner}/deliveries`)).deliveries
  }

  /** The execution log once nothing in it is due or in flight: what is due now happens. */
  async settled(owner: string): Promise<ReadonlyArray<LoggedDelivery>> {
    if (this.running.controlUrl !== null) {
      bodyOf(await this.running.fetch("/_emulator/clock/advance", { method: "POST", json: { by: 0 } }))
    }
    const moving = async () =>
      (await this.log(owner)).filter(({ state }) => state === "scheduled" || state === "attempting")
    await expect.poll(moving, { timeout: 30_000, interval: 20 }).toEqual([])
    return this.log(owner)
  }

  /** The only delivery of an automation that fires once, after its first attempt. */
  async delivered(automation: Made, recording?: string): Promise<LoggedDelivery> {
    await this.fire(automation, recording)
    const [delivery, ...more] = await this.settled(`/automations/${automation.id}`)
    expect(more).toEqual([])
    return delivery as LoggedDelivery
  }

  /** Its newest audit entries, newest first. */
  async entries<T = Json>(query = ""): Promise<ReadonlyArray<T>> {
    return (await this.settings.get<{ audit_entries: ReadonlyArray<T> }>(`/audit-entries${query}`)).audit_entries
  }

  async retitle(recording: string, title: string, token: string = ada): Promise<void> {
    const json = { recording: { title } }
    bodyOf(await this.running.fetch(`/api/v2/recordings/${recording}`, { method: "PATCH", token, json }))
  }
}
