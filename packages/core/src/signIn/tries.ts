import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { Store } from "../Store.ts"
import type { TryLimit } from "./policy.ts"

/** What came of counting a try. `first`: of those that are refused in this window. */
export type Counted =
  | { readonly isLetThrough: true }
  | { readonly isLetThrough: false; readonly first: boolean; readonly retryAfterMs: number }

const letThrough: Counted = { isLetThrough: true }

/**
 * Counts a try before it is checked, so that concurrent tries count too. In the store, so that a restart or another node forgets
 * nothing. What is refused is written down once a window. Belongs inside a transaction.
 */
export const countTry = Effect.fnUntraced(function* (
  { tryWindows }: Pick<Store["Service"], "tryWindows">,
  key: string,
  { perMs, tries }: TryLimit
) {
  const at = yield* now
  const open = yield* tryWindows.byKey(key)
  // One that ends further ahead than its length is over too: it started in the future, by a clock that was set back since.
  if (open === undefined || at >= open.endsAt || open.endsAt > at + perMs) {
    // Adding a window removes ended ones, so their number stays limited.
    yield* tryWindows.prune(at)
    yield* tryWindows.save({ key, tries: 1, endsAt: (at + perMs) as Instant })
    return letThrough
  }
  if (open.tries <= tries) yield* tryWindows.save({ ...open, tries: open.tries + 1 })
  if (open.tries < tries) return letThrough
  const refused: Counted = { isLetThrough: false, first: open.tries === tries, retryAfterMs: open.endsAt - at }
  return refused
})

/** Takes a try back, which was none. Belongs inside a transaction. */
export const uncountTry = Effect.fnUntraced(function* (
  { tryWindows }: Pick<Store["Service"], "tryWindows">,
  key: string
) {
  const open = yield* tryWindows.byKey(key)
  if (open !== undefined && open.tries > 0) yield* tryWindows.save({ ...open, tries: open.tries - 1 })
})

/**
 * What counts as one network address: of IPv6 the network of 64 bits, of which every subscriber has at least one to
 * themselves.
 */
export const addressKey = (address: string): string => {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = "", tail] = address.split("%", 1)[0]!.toLowerCase().split("::")
  const groups = head === "" ? [] : head.split(":")
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...(tail ?? "").split(":")]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(.)/, "$1"))
    .join(":")}::/64`
}
