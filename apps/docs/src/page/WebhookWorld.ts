import type { Attempt, Delivery, RunningWorld, startEmulator } from "@tapedeck/emulator/browser"

const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
const folder = "vip"
const sink = "receiver"

/** The page names it, for readers who check a signature. */
const secret = "a secret of both sides"

/** Answers of the receiver that a reader can choose. */
export const answers = {
  failure: { label: "500, fails", outcome: { status: 500, body: "The database is not available." } },
  success: { label: "200, succeeds", outcome: { status: 200, body: "Thank you." } },
  timeout: { label: "no answer within 30 s", outcome: "timeout" }
} as const

export type AnswerName = keyof typeof answers

export const defaultAnswer: AnswerName = "failure"

/** The state that the element shows. */
export interface Shown {
  readonly now: string
  readonly attempts: ReadonlyArray<Attempt>
  /** Null before the recording is in the folder. */
  readonly state: Delivery["state"] | null
  /** Due instant of the next event of the delivery: an attempt, or the end of one in flight. */
  readonly nextAt: string | null
}

/** A world with one automation, whose receiver is in the page. */
export class WebhookWorld {
  readonly world: RunningWorld

  private constructor(world: RunningWorld) {
    this.world = world
  }

  static async start(start: typeof startEmulator): Promise<WebhookWorld> {
    const emulator = await start()
    const world = await emulator.createWorld({
      // The service worker finds the page by it.
      id: `page-${crypto.getRandomValues(new Uint32Array(1))[0]}`,
      fixtures: {
        users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
        recordings: [
          { uuid: recording, title: "Checkout fails", duration: 42, customer: { email: "kim@customer.test" } }
        ],
        folders: [{ id: folder, name: "VIP customers" }],
        sinks: [{ id: sink, respond: [answers[defaultAnswer].outcome] }],
        automations: [{ folder, url: `sink:${sink}`, secret }]
      }
    })
    return new WebhookWorld(world)
  }

  async answer(name: AnswerName): Promise<void> {
    await this.world.sinks.respond(sink, [answers[name].outcome])
  }

  /** Adds the recording to the folder, and makes the first attempt, which is due at once. */
  async addRecording(): Promise<void> {
    await this.world.addToFolder(folder, recording)
    await this.world.clock.advance({ by: 0 })
  }

  /** Moves the clock to the delivery's next event. */
  async next(): Promise<void> {
    const { nextAt } = await this.read()
    if (nextAt !== null) await this.world.clock.advance({ to: nextAt })
  }

  async advance(by: string): Promise<void> {
    await this.world.clock.advance({ by })
  }

  async untilIdle(): Promise<void> {
    await this.world.clock.advance({ until: "idle" })
  }

  async reset(answer: AnswerName): Promise<void> {
    await this.world.reset()
    await this.answer(answer)
  }

  async read(): Promise<Shown> {
    const [{ now, pending }, [delivery]] = await Promise.all([this.world.clock.get(), this.world.deliveries()])
    return {
      now,
      attempts: delivery?.attempts ?? [],
      state: delivery?.state ?? null,
      nextAt: pending.find(({ id }) => id === delivery?.id)?.at ?? null
    }
  }
}
