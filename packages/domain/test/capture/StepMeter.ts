import { Session } from "node:inspector"

/** The characters that a call of a string's method reads at most. */
type Reads = (text: string, args: ReadonlyArray<unknown>, result: unknown) => number

const whole: Reads = (text) => text.length
const upTo = (text: string, part: unknown, at: number) => (at === -1 ? text.length : at + String(part).length)

const readsOf: Readonly<Record<string, Reads>> = {
  includes: (text, [part]) => upTo(text, part, indexOf.call(text, String(part))),
  indexOf: (text, [part, from], at) => upTo(text, part, Number(at)) - Number(from ?? 0),
  lastIndexOf: (text, [, from], at) => Math.min(Number(from ?? text.length), text.length) - Number(at),
  slice: (_, _args, result) => String(result).length,
  split: whole,
  toLowerCase: whole
}

const { indexOf } = String.prototype
const { exec } = RegExp.prototype

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly count: number }> }>
  }>
}

/**
 * Counts the steps of code, whatever else the machine does: how often V8 runs each block of the files whose path contains `folder`, and
 * how many characters methods of strings and expressions read.
 */
export class StepMeter {
  readonly #session = new Session()
  readonly #folder: string
  readonly #restore: Array<() => void> = []
  #characters = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#session.connect()
    this.#post("Profiler.enable")
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
    const read = (characters: number) => {
      this.#characters += characters
    }
    for (const [name, reads] of Object.entries(readsOf)) {
      this.#replace(
        String.prototype,
        name,
        (method) =>
          function (this: string, ...args: ReadonlyArray<unknown>) {
            const result = method.apply(this, args)
            read(reads(this, args, result))
            return result
          }
      )
    }
    this.#replace(
      RegExp.prototype,
      "exec",
      () =>
        function (this: RegExp, text: string) {
          const from = this.global || this.sticky ? this.lastIndex : 0
          const found = exec.call(this, text)
          read((found === null ? text.length : found.index + found[0].length) - from)
          return found
        }
    )
  }

  /** The steps of some work, and of what else ran in the files since the last call: V8 takes longer to tell them than most work. */
  stepsOf(work: () => void): number {
    this.#characters = 0
    work()
    return this.#characters + this.#takeBlocks()
  }

  end(): void {
    for (const restore of this.#restore) restore()
    this.#post("Profiler.stopPreciseCoverage")
    this.#session.disconnect()
  }

  #replace(owner: object, name: string, by: (method: Function) => Function): void {
    const method: Function = Reflect.get(owner, name)
    Object.assign(owner, { [name]: by(method) })
    this.#restore.push(() => Object.assign(owner, { [name]: method }))
  }

  /** How often blocks ran since the last call. */
  #takeBlocks(): number {
    const { result } = this.#post("Profiler.takePreciseCoverage") as Coverage
    let count = 0
    for (const { functions, url } of result) {
      if (!url.includes(this.#folder)) continue
      for (const { ranges } of functions) for (const range of ranges) count += range.count
    }
    return count
  }

  /** The session is on this thread: it answers before `post` returns. */
  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown
    this.#session.post(method, parameters, (error: Error | null, result?: unknown) => {
      if (error !== null) throw error
      answer = result
    })
    return answer
  }
}
