import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../../now.ts"
import type { Store } from "../../store/Store.ts"
import { addressKey } from "../addressKey.ts"
import type { TryLimit } from "./policy.ts"

/** Result of counting a try. `first` is whether the refused try is the first one in this window. */
export type Counted =
  | { readonly isLetThrough: true }
  | { readonly isLetThrough: false; readonly first: boolean; readonly retryAfterMs: number }

const letThrough: Counted = { isLetThrough: true }

/**
 * Counts a try before it is checked, so that concurrent tries count too. In the store, so that a restart or another node forgets
 * nothing. Not inside a transaction, with which concurrent tries would conflict; `SummarySettings` states an exception.
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

/** A counter's key and its limit. */
export type TryCount = readonly [key: string, limit: TryLimit]

/** Divisor of a key's tries: each network address has at most this part of them. */
const shares = 10

/**
 * The counters of tries on one subject, such as a name: the share of the network address, then that of all addresses together. One
 * address cannot use up the tries of the others. `keyOf` makes a key of a text, such as its hash.
 */
export const sharedTries = (
  keyOf: (text: string) => string,
  subject: string,
  address: string | null,
  perAddress: TryLimit,
  inAll: TryLimit = { ...perAddress, tries: perAddress.tries * shares }
): ReadonlyArray<TryCount> => [
  [keyOf(`${subject} from ${addressKey(address ?? "")}`), perAddress],
  [keyOf(subject), inAll]
]

/** Counts a try under each key, in order. The first key that refuses it takes it back from those before: it costs others nothing. */
export const countTries = Effect.fnUntraced(function* (
  store: Pick<Store, "tryWindows">,
  counts: ReadonlyArray<TryCount>
) {
  for (const [index, [key, limit]] of counts.entries()) {
    const counted = yield* countTry(store, key, limit)
    if (counted.isLetThrough) continue
    yield* uncountTries(store, counts.slice(0, index))
    return counted
  }
  return letThrough
})

/** Takes one try back from each key. */
export const uncountTries = ({ tryWindows }: Pick<Store, "tryWindows">, counts: ReadonlyArray<TryCount>) =>
  Effect.forEach(counts, ([key]) => tryWindows.uncount(key, 1), { discard: true })
