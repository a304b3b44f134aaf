import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../../now.ts"
import type { Store } from "../../store/Store.ts"
import type { TryLimit } from "./policy.ts"

/** What came of counting a try. `first`: of those that are refused in this window. */
export type Counted =
  | { readonly isLetThrough: true }
  | { readonly isLetThrough: false; readonly first: boolean; readonly retryAfterMs: number }

const letThrough: Counted = { isLetThrough: true }

/**
 * Counts a try before it is checked, so that concurrent tries count too. In the store, so that a restart or another node forgets
 * nothing. Not inside a transaction, with which concurrent tries would conflict.
 */
export const countTry = Effect.fnUntraced(function* (
  { tryWindows }: Pick<Store, "tryWindows">,
  key: string,
  { perMs, tries }: TryLimit
) {
  const at = yield* now
  const window = yield* tryWindows.count({ key, tries: 1, endsAt: (at + perMs) as Instant }, at)
  // A new window removes ended ones, so their number stays limited.
  if (window.tries === 1) yield* tryWindows.prune(at)
  if (window.tries <= tries) return letThrough
  const refused: Counted = { isLetThrough: false, first: window.tries === tries + 1, retryAfterMs: window.endsAt - at }
  return refused
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
