import { Sequence } from "./generate/Sequence.ts"
import type { SettingsApi } from "./generate/settingsCalls.ts"
import { inProcess, type Operation, overHttp, type Played, type Player } from "./Player.ts"
import { startReceivers } from "./receivers.ts"

/** Watches a sequence as it is played for the first time; what it finds wrong, it throws. */
export interface Observer {
  readonly observe: (operation: Operation, played: Played, player: Player) => Promise<void>
}

export interface PlayOptions {
  readonly seed: number
  /** How many calls, besides those at the end that look at everything. */
  readonly operations: number
}

interface Exchange {
  readonly operation: Operation
  readonly played: Played
}

/** Something wrong with a call of a sequence: which one it was, and how to see it again. */
class Failure extends Error {
  constructor(seed: number, index: number, { operation, played }: Exchange, details?: ReadonlyArray<string>) {
    const { body, method, path } = operation
    super(
      [
        `seed ${seed}, call ${index}: ${method} ${path.slice(0, 200)}`,
        ...(body === undefined ? [] : [body.slice(0, 500)]),
        ...(details ?? [`${played.status} ${played.text.slice(0, 500)}`]),
        replay(seed)
      ].join("\n")
    )
  }
}

/** How a seed is played again, and nothing else with it. */
const replay = (seed: number): string =>
  `replay: cd tooling/suites && TAPEDECK_SEED=${seed} npx vitest run test/sequences.test.ts`

/** Its status, and its headers and text from where they part on. */
const summary = (played: Played, other: Played): string => {
  const [headers, theirs] = [JSON.stringify(played.headers), JSON.stringify(other.headers)]
  const from = commonLength(played.text, other.text)
  return [
    String(played.status),
    headers === theirs ? "" : headers,
    played.text === other.text ? "" : `…${played.text.slice(Math.max(0, from - 100), from + 300)}`
  ].join(" ")
}

const commonLength = (left: string, right: string): number => {
  let at = 0
  while (at < left.length && left[at] === right[at]) at += 1
  return at
}

const settingsApiOf = async (player: Player): Promise<SettingsApi | undefined> => {
  const { status, text } = await player.play({ method: "GET", path: "/api/settings/openapi.json", headers: {} })
  return status === 200 ? (JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as SettingsApi) : undefined
}

/** The settings API's own description, from an emulator that is not otherwise used. */
const settingsApi = async (): Promise<SettingsApi | undefined> => {
  const player = await inProcess({ seed: 1, now: "2026-01-01T00:00:00.000Z", fixtures: {} })
  return settingsApiOf(player).finally(() => player.close())
}

/** Plays a seed's sequence once, in this process, generating it on the way. */
const playFirst = async (sequence: Sequence, { seed, operations }: PlayOptions, observer?: Observer) => {
  const player = await inProcess(sequence.start)
  const exchanges: Array<Exchange> = []
  const play = async (operation: Operation) => {
    const played = await player.play(operation)
    // No fault of a sequence answers so: it is the service's own failure.
    if (played.status === 500) throw new Failure(seed, exchanges.length, { operation, played })
    exchanges.push({ operation, played })
    sequence.learn(operation, played)
    await observer?.observe(operation, played, player).catch((error: Error) => {
      throw new Failure(seed, exchanges.length - 1, { operation, played }, [error.message])
    })
  }
  try {
    for (let left = operations; left > 0; left -= 1) await play(sequence.next())
    for (const operation of sequence.last()) await play(operation)
    return exchanges
  } finally {
    await player.close()
  }
}

/** Plays a seed's sequence in this process only, before the eyes of an observer. */
export const playOnce = async ({ seed, operations }: PlayOptions, observer: (sequence: Sequence) => Observer) => {
  const receivers = await startReceivers()
  try {
    const sequence = new Sequence(seed, { receivers: receivers.url })
    return await playFirst(sequence, { seed, operations }, observer(sequence))
  } finally {
    await receivers.close()
  }
}

/**
 * Plays a seed's sequence in this process, and then the same calls over HTTP in another. Throws at the first answer that
 * is not the same to the byte. Answers how many calls there were, by status.
 */
export const playTwice = async ({ seed, operations }: PlayOptions): Promise<Readonly<Record<string, number>>> => {
  const receivers = await startReceivers()
  try {
    const settings = await settingsApi()
    const options = { receivers: receivers.url, ...(settings === undefined ? {} : { settings }) }
    const sequence = new Sequence(seed, options)
    const exchanges = await playFirst(sequence, { seed, operations })
    await compare(seed, exchanges, await overHttp(sequence.start))
    return countBy(exchanges.map(({ played }) => String(played.status)))
  } finally {
    await receivers.close()
  }
}

const compare = async (seed: number, exchanges: ReadonlyArray<Exchange>, player: Player) => {
  try {
    for (const [index, exchange] of exchanges.entries()) {
      const other = await player.play(exchange.operation)
      if (JSON.stringify(other) !== JSON.stringify(exchange.played)) {
        const details = [
          `in process: ${summary(exchange.played, other)}`,
          `over HTTP:  ${summary(other, exchange.played)}`
        ]
        throw new Failure(seed, index, exchange, details)
      }
    }
  } finally {
    await player.close()
  }
}

const countBy = (keys: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1
  return counts
}
