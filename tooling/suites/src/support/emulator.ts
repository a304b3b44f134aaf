import { expect } from "vitest"
import { Contract, type OpenApi } from "./contract.ts"
import { type Answer, type Call, call } from "./http.ts"
import { emulatorMain, type Started, startProcess } from "./process.ts"
import type { ClockObject, Delivery, Journal, JournalEntry, Moved, Refusal, Sink, WorldObject } from "./shapes.ts"
import { bodyOf, type Running, type StartDocument, type Target } from "./target.ts"

export interface WorldOptions {
  readonly id?: string
  readonly now?: string
  readonly seed?: number
  readonly config?: Readonly<Record<string, unknown>>
}

/** One world of an emulator, and the control calls that tests make most. */
export class World implements Running {
  readonly object: WorldObject
  /** The document as made, with what the emulator filled in. */
  readonly made: MadeDocument
  private readonly contract: Contract

  constructor(object: WorldObject, made: MadeDocument, contract: Contract) {
    this.object = object
    this.made = made
    this.contract = contract
  }

  get baseUrl() {
    return this.object.base_url
  }
  get publicUrl() {
    return this.object.config.public_url
  }
  get controlUrl() {
    return this.object.control_url
  }
  get tokens() {
    return this.object.tokens
  }

  async fetch(path: string, init: Call = {}): Promise<Answer> {
    const answer = await call(this.baseUrl, path, init)
    this.contract.check(answer)
    return answer
  }

  /** A request whose answer may be a fault's, which no document foresees. */
  faultyFetch(path: string, init: Call = {}): Promise<Answer> {
    return call(this.baseUrl, path, init)
  }

  async credentials(email: string): Promise<Call> {
    return { token: bodyOf<{ token: string }>(await this.post("/sessions", { user: email }), 201).token }
  }

  control(path: string, init: Call = {}): Promise<Answer> {
    return this.fetch(`/_emulator${path}`, init)
  }

  post(path: string, json: unknown): Promise<Answer> {
    return this.control(path, { method: "POST", json })
  }

  async advance(move: unknown): Promise<Moved> {
    return bodyOf<Moved>(await this.post("/clock/advance", move))
  }

  async clock(): Promise<ClockObject> {
    return bodyOf<ClockObject>(await this.control("/clock"))
  }

  async now(): Promise<string> {
    return (await this.clock()).now
  }

  /** Adds a recording to a folder in which it is not, and answers the ids of the deliveries. */
  async addToFolder(folder: string, recording: string): Promise<ReadonlyArray<string>> {
    const answer = await this.post(`/folders/${folder}/recordings`, { recording })
    return bodyOf<{ deliveries: ReadonlyArray<string> }>(answer, 201).deliveries
  }

  async deliveries(query = ""): Promise<ReadonlyArray<Delivery>> {
    return bodyOf<{ deliveries: ReadonlyArray<Delivery> }>(await this.control(`/deliveries${query}`)).deliveries
  }

  async sink(id: string): Promise<Sink> {
    return bodyOf<Sink>(await this.control(`/sinks/${id}`))
  }

  /** The journal's entries. */
  async journal(query = ""): Promise<ReadonlyArray<JournalEntry>> {
    return bodyOf<Journal>(await this.control(`/journal${query}`)).entries
  }

  /** The number of the newest entry, which `since` takes; 0 in an empty journal. */
  async lastSeq(): Promise<number> {
    return (await this.journal()).at(-1)?.seq ?? 0
  }

  /** The entries that `POST {c}/journal/wait` finds, at the latest when its time is over. */
  async wait(body: Readonly<Record<string, unknown>>): Promise<ReadonlyArray<JournalEntry>> {
    return bodyOf<{ matched: ReadonlyArray<JournalEntry> }>(await this.post("/journal/wait", body)).matched
  }

  async reset(): Promise<WorldObject> {
    return bodyOf<WorldObject>(await this.control("/reset", { method: "POST" }))
  }

  /** A new world in this one's present state. */
  async fork(body: Readonly<Record<string, unknown>> = {}): Promise<World> {
    return new World(bodyOf<WorldObject>(await this.post("/fork", body), 201), this.made, this.contract)
  }

  /** The whole state, as one document. */
  async snapshot(): Promise<Answer> {
    const answer = await this.control("/snapshot")
    bodyOf(answer)
    return answer
  }

  async close(): Promise<void> {
    const answer = await this.control("", { method: "DELETE" })
    expect(answer.status, String(answer)).toBe(204)
  }
}

export type MadeDocument = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** An emulator as a process of its own; each `start` is a world of its own in it. */
export class Emulator implements Target {
  readonly name = "the emulator"
  readonly receiverScheme = "http"
  private process: Promise<Started<WorldObject>> | undefined
  private held: Promise<Contract> | undefined
  private readonly args: ReadonlyArray<string>

  constructor(args: ReadonlyArray<string> = []) {
    this.args = args
  }

  private launch() {
    this.process ??= startProcess<WorldObject>(emulatorMain, ["--port", "0", "--json", ...this.args])
    return this.process
  }

  /** The line that the process printed. */
  async ready(): Promise<WorldObject> {
    return (await this.launch()).ready
  }

  contract(): Promise<Contract> {
    this.held ??= this.ready().then((ready) => this.contractOf(ready))
    return this.held
  }

  private async contractOf({ base_url }: WorldObject, common?: Contract): Promise<Contract> {
    const documents = ["v2", "v1", "settings", "capture"].map((each) => `/api/${each}/openapi.json`)
    documents.push("/_emulator/openapi.json")
    return new Contract(
      await Promise.all(documents.map(async (path) => bodyOf<OpenApi>(await call(base_url, path)))),
      common
    )
  }

  /** The world at `/`. */
  async defaultWorld(): Promise<World> {
    return new World(await this.ready(), {}, await this.contract())
  }

  /** A request below the process's own base URL. */
  async fetch(path: string, init: Call = {}): Promise<Answer> {
    return (await this.defaultWorld()).fetch(path, init)
  }

  /** Asks for a world, whatever the answer is. */
  create(fixtures: StartDocument, options: WorldOptions = {}): Promise<Answer> {
    return this.fetch("/_emulator/worlds", { method: "POST", json: { ...options, fixtures } })
  }

  async start(fixtures: StartDocument, options: WorldOptions = {}): Promise<World> {
    const body = bodyOf<WorldObject & { fixtures: MadeDocument }>(await this.create(fixtures, options), 201)
    const common = await this.contract()
    // The vendor's word is a value in the documents, so a world with another word is held against its own (N2).
    const other = body.config.vendor !== (await this.ready()).config.vendor
    return new World(body, body.fixtures, other ? await this.contractOf(body, common) : common)
  }

  async stop(): Promise<void> {
    if (this.process !== undefined) await (await this.process).stop()
  }
}

/** The paths that a control call's 400 complains of; a failure shows the whole exchange. */
export const pathsOf = (answer: Answer): ReadonlyArray<string> => refusalOf(answer).errors.map(({ path }) => path)

/** A control call's 400: `{error, errors: [{path, message}]}`, `error` joining the others, one a line. */
export const refusalOf = (answer: Answer): Refusal => {
  const body = bodyOf<Refusal>(answer, 400)
  expect(Object.keys(body).toSorted(), String(answer)).toEqual(["error", "errors"])
  expect(body.errors.length, String(answer)).toBeGreaterThan(0)
  for (const { path, message } of body.errors) {
    expect([typeof path, typeof message], String(answer)).toEqual(["string", "string"])
    expect(message, String(answer)).toMatch(/\S/)
  }
  if (body.errors.every(({ path }) => path !== "")) {
    const lines = body.errors.map(({ path, message }) => `${path}: ${message}`)
    expect(body.error, String(answer)).toBe(lines.join("\n"))
  }
  return body
}
