import type { CheckContext } from "./context.ts"
import type { Path } from "./lenient.ts"
import { pathText, type Report } from "./problems.ts"

/** The account that an entry is in; undefined, and reported, if there is none of that id. */
export const accountIn = (
  context: Pick<CheckContext, "accountIds" | "firstAccountId">,
  account: number | undefined,
  report: Report
): number | undefined => {
  if (account === undefined) return context.firstAccountId
  if (context.accountIds.has(account)) return account
  report(["account"], `no such account ${account}`)
  return undefined
}

/** Sees to it that no two entries have the same key. `what` names the key in messages; the key itself may be a secret. */
export const uniqueKeys = <Key>(what: string, inWorld: { readonly has: (key: Key) => boolean }) => {
  const firsts = new Map<Key, Path>()
  return (key: Key | undefined, path: Path, report: Report) => {
    if (key === undefined) return
    const first = firsts.get(key)
    if (first !== undefined) report(path, `the same ${what} as ${pathText(first)}`)
    else if (inWorld.has(key)) report(path, `this ${what} is taken in this world`)
    else firsts.set(key, path)
  }
}

/** The sink that `sink:ID` means. */
export const sinkIn = (url: string): string | undefined =>
  url.startsWith("sink:") ? url.slice("sink:".length) : undefined
