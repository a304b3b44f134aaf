import { createHash } from "node:crypto"
import type { Random } from "../determinism/Random.ts"
import { call } from "../support/http.ts"
import type { Events } from "./Events.ts"

/** A value that was answered for, and those sent since without an answer: the server has one of them. */
export interface Told<A> {
  readonly accepted: A
  readonly inDoubt: ReadonlyArray<A>
}

/** What a client knows of one recording. */
export interface Known {
  readonly uuid: string
  title: Told<string>
  /** SHA-256 of the video; null for none. */
  video: Told<string | null>
  folder: Told<string | null>
  /** Changes of folder that were answered for, and those that were not. */
  moves: number
  movesInDoubt: number
}

export interface Target {
  readonly baseUrl: string
  readonly token: string
}

/** The first bytes of a WebM file: enough for the server to take it for a video. */
const webmHead = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
)

/** A key may be locked for 10 s, by a transaction whose node lost its connection. */
const maxTries = 10_000

/** A part of the load: makes recordings and works on them, one call after another, while servers are killed. */
export class Client {
  readonly known: Array<Known> = []
  /** Titles of recordings whose making got no answer: they are made again, with the same `Idempotency-Key`. */
  private readonly inDoubt: Array<string> = []
  /** How many of them were made before, and answered for by what was kept. */
  replayed = 0
  /** What was answered with anything but success: there is no reason for that. */
  readonly refused: Array<string> = []
  /** Downloads that were not what was uploaded. */
  readonly halfWritten: Array<string> = []
  calls = 0
  /** Answers that the server could not do it: the call is in doubt then. */
  failed = 0
  private readonly name: string
  private readonly random: Random
  private readonly events: Events
  private readonly mayFail: boolean
  private made = 0

  /** `mayFail`: whether there are times at which the server is up and cannot do its work. */
  constructor(name: string, random: Random, events: Events, mayFail = false) {
    this.name = name
    this.random = random
    this.events = events
    this.mayFail = mayFail
  }

  /** Works until told otherwise; `target` gives the server that is alive. */
  async work(target: () => Promise<Target>, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const now = await target()
      if (!isOver()) await this.step(now)
    }
  }

  /** Makes what is still in doubt, once nothing happens any more. */
  async settle(target: Target): Promise<void> {
    for (let tries = 0; this.inDoubt.length > 0 && tries < maxTries; tries += 1)
      await this.make(target, this.inDoubt.shift())
    this.refused.push(...this.inDoubt.map((title) => `${title} is still in progress, or fails`))
  }

  private async step(target: Target): Promise<void> {
    const title = this.inDoubt.shift()
    if (title !== undefined) return this.make(target, title)
    const one = this.known.length > 0 ? this.random.pick(this.known) : undefined
    if (one === undefined) return this.make(target)
    const action = this.random.weighted<(target: Target, one: Known) => Promise<void>>([
      [2, (now) => this.make(now)],
      [4, (now, which) => this.rename(now, which)],
      [3, (now, which) => this.upload(now, which)],
      [4, (now, which) => this.move(now, which)],
      [2, (now, which) => this.download(now, which)]
    ])
    return action(target, one)
  }

  private nextName(): string {
    this.made += 1
    return `${this.name}-${this.made}`
  }

  private async make(target: Target, title = this.nextName()): Promise<void> {
    const request = { method: "POST", json: { title }, headers: { "idempotency-key": title } }
    const answer = await this.ask(target, "/api/settings/recordings", request, 201, 409)
    // 409: the request that got no answer is in progress yet, on a node that lost its way to the database.
    if (answer?.status !== 201) {
      this.inDoubt.push(title)
      return
    }
    if (answer.headers["idempotency-replayed"] !== undefined) this.replayed += 1
    const told = <A>(accepted: A): Told<A> => ({ accepted, inDoubt: [] })
    const { uuid } = answer.as<{ uuid: string }>()
    this.known.push({ uuid, title: told(title), video: told(null), folder: told(null), moves: 0, movesInDoubt: 0 })
  }

  private async rename(target: Target, one: Known): Promise<void> {
    const title = this.nextName()
    const json = { recording: { title } }
    const answer = await this.ask(target, `/api/v2/recordings/${one.uuid}`, { method: "PATCH", json }, 200)
    one.title = next(one.title, title, answer !== undefined)
  }

  private async upload(target: Target, one: Known): Promise<void> {
    const body = this.video()
    const path = `/api/settings/recordings/${one.uuid}/video`
    const headers = { "content-type": "video/webm" }
    const answer = await this.ask(target, path, { method: "PUT", body, headers }, 200)
    one.video = next(one.video, sha256(body), answer !== undefined)
  }

  private async move(target: Target, one: Known): Promise<void> {
    const folder = this.random.pick(["f1", "f2"])
    const path = `/api/settings/recordings/${one.uuid}/folder`
    // Where it is already nothing fires; where that is in doubt, whether anything did.
    const isSure = one.folder.inDoubt.length === 0
    const changes = !isSure || one.folder.accepted !== folder
    const answer = await this.ask(target, path, { method: "PUT", json: { folder_id: folder } }, 200)
    one.folder = next(one.folder, folder, answer !== undefined)
    if (!changes) return
    if (isSure && answer !== undefined) one.moves += 1
    else one.movesInDoubt += 1
  }

  private async download(target: Target, one: Known): Promise<void> {
    const possible = [one.video.accepted, ...one.video.inDoubt]
    const path = `/api/v2/recordings/${one.uuid}/download`
    const answer = await this.ask(target, path, {}, 200, possible.includes(null) ? 409 : 200)
    if (answer?.status !== 200) return
    if (!possible.includes(sha256(answer.body))) this.halfWritten.push(`${one.uuid}: ${answer.body.length} bytes`)
  }

  /** The answer, if there was one and it was as it should be; undefined for a call that was interrupted. */
  private async ask(target: Target, path: string, init: object, ...statuses: ReadonlyArray<number>) {
    this.calls += 1
    this.events.happened()
    const asked = await call(target.baseUrl, path, { ...init, token: target.token }).catch(() => undefined)
    if (asked === undefined) return undefined
    this.events.happened()
    if (statuses.includes(asked.status)) return asked
    if (this.mayFail && asked.status >= 500) this.failed += 1
    else this.refused.push(String(asked))
    return undefined
  }

  /** One of its own, or one of few that all clients upload: then one is removed while it is stored again. */
  private video(): Buffer {
    const isShared = this.random.chance(0.5)
    const which = this.random.integer(0, isShared ? 2 : 255)
    const noise = Buffer.alloc(isShared ? 100_000 : this.random.integer(1_000, 400_000), which)
    if (!isShared) noise.write(this.nextName())
    return Buffer.concat([webmHead, noise])
  }
}

const next = <A>({ accepted, inDoubt }: Told<A>, value: A, isAccepted: boolean): Told<A> =>
  isAccepted ? { accepted: value, inDoubt: [] } : { accepted, inDoubt: [...inDoubt, value] }

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
