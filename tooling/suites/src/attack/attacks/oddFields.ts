import { type Arena, inTurns } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"
import { type Operation, operationsOf } from "./operations.ts"
import { place, places } from "./shapes.ts"

/**
 * Every field of every operation, with values that are empty, at the limit, one beyond, or odd. Operations and fields come from the
 * OpenAPI documents, lengths from the refusals. Any answer is right but a 5xx and none.
 */

/** Texts that are no text of a name, an id, a date, a number or an address. */
const oddTexts: ReadonlyArray<string> = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\r\n",
  "a\r\nX-Injected: b",
  "\t",
  "\u001b[201~",
  "\u0085",
  "\u2028",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\udc00\ud800",
  "a\ud83c",
  "🎥",
  "__proto__",
  "constructor",
  "null",
  "0",
  "-1",
  "1e999",
  "99999999999999999999",
  "%",
  "%00",
  "../..",
  "{{",
  "\u212aim@acme.test",
  "a@b",
  "https://",
  "http://[::1",
  "javascript:1",
  "00000000-0000-0000-0000-000000000000",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "-271821-04-20T00:00:00.000Z",
  "+275760-09-13T00:00:00.000Z",
  "2026-02-30T00:00:00Z",
  "P99999999999Y"
]

/** JSON texts of other types, and of numbers at the ends of theirs. */
const oddJson: ReadonlyArray<string> = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "0.5",
  "1e-320",
  "1e308",
  "1e999",
  "-1e999",
  "2147483648",
  "9007199254740991",
  "9007199254740993",
  "8640000000000001",
  "[]",
  "[null]",
  "[[]]",
  '[""]',
  "{}",
  '{"":null}',
  '{"__proto__":{"a":1}}',
  '{"a":"\\ud800"}'
]

/** Lengths beside those that a refusal names. */
const lengths = [255, 256, 5_000]

/** The longest text that a field takes, as its refusal of a longer one says; undefined where it says none. */
const limitIn = (text: string): number | undefined => {
  const [, limit] = /at most (\d+) characters/.exec(text) ?? []
  return limit === undefined ? undefined : Number(limit)
}

/** As many of the values as the size of the attack allows. */
const some = <Value>(arena: Arena, values: ReadonlyArray<Value>, short: number): ReadonlyArray<Value> =>
  arena.isFull ? values : arena.random.list(short, short, () => arena.random.pick(values))

interface Try {
  readonly step: string
  readonly path: string
  readonly options: Parameters<Arena["call"]>[1]
}

const send = async (arena: Arena, { options, path, step }: Try): Promise<string> => {
  const { status, text } = await arena.call(path, options)
  arena.check(status >= 200 && status < 500, `${step}: ${status} ${text.slice(0, 200)}`)
  return text
}

const attackBody = async (arena: Arena, { caller, json, method, name, path, resolve }: Operation): Promise<void> => {
  if (json === undefined) return
  const headers = { ...caller.headers, "content-type": "application/json" }
  const fields = places(json.schema, json.example, resolve)
  const tryOf = (at: (typeof fields)[number], value: string): Try => {
    // A function: `$` in a value is no pattern.
    const body = JSON.stringify(at.body).replace(JSON.stringify(place), () => value)
    return {
      step: `${name}, ${at.path === "" ? "the body" : at.path} = ${value.slice(0, 60)}`,
      path,
      options: { ...caller, method, headers, body }
    }
  }
  const values = [...oddTexts.map((text) => JSON.stringify(text)), ...oddJson]
  for (const at of some(arena, fields, 2)) {
    const ofLength = (length: number) => tryOf(at, JSON.stringify("é".repeat(length)))
    const limit = limitIn(await send(arena, ofLength(70_000)))
    const chosen = limit === undefined ? lengths : [limit, limit + 1]
    const tries = [...some(arena, values, 3).map((value) => tryOf(at, value)), ...some(arena, chosen, 1).map(ofLength)]
    await inTurns(tries.length, 4, (nth) => send(arena, tries[nth]!))
  }
}

/** Texts as they stand in a URL: also such as are no UTF-8. */
const inUrl = [
  ...oddTexts.filter((text) => text.isWellFormed()).map(encodeURIComponent),
  ...["%ed%a0%80", "%ff", "%", "%2", "%2e%2e", "+", "a&a", "é"],
  ...lengths.map((length) => "x".repeat(length))
]

const attackUrl = async (
  arena: Arena,
  { caller, method, name, parameters, path, template }: Operation
): Promise<void> => {
  // A stream of events has no end.
  const query = path.endsWith("/events") ? [] : parameters.filter(({ in: where }) => where === "query")
  const tries = [
    ...query.flatMap(({ name: parameter }) =>
      some(arena, inUrl, 2).map((value) => ({
        step: `${name}?${parameter}=${value.slice(0, 60)}`,
        path: `${path}?${parameter}=${encodeURI(value).replaceAll("%25", "%")}`,
        options: { ...caller, method }
      }))
    ),
    ...(template.includes("{") && !path.endsWith("/events")
      ? some(arena, inUrl, 2).map((value) => ({
          step: `${name} with ${value.slice(0, 60)}`,
          path: template.replaceAll(/\{\w+\}/g, () => encodeURI(value).replaceAll("%25", "%")),
          options: { ...caller, method }
        }))
      : [])
  ]
  await inTurns(tries.length, 4, (nth) => send(arena, tries[nth]!))
}

const everyField: Attack = {
  name: "odd-fields",
  line: 16,
  targets: everywhere,
  isAlone: true,
  options: () => ["--rate-limit", "off"],
  document: () => ({ folders: [{ id: "vip", name: "VIP" }] }),
  run: async (arena) => {
    for (const operation of await operationsOf(arena)) {
      await attackBody(arena, operation)
      await attackUrl(arena, operation)
    }
  }
}

export const oddFields: ReadonlyArray<Attack> = [everyField]
