import type { JournalEntry } from "../../journal/Journal.ts"

/** A URL without user, password and query, which may be secrets. */
export const bareUrl = (url: string): string => url.replace(/[?#].*$/s, "").replace(/^(https?:\/\/)[^/@]*@/i, "$1")

/**
 * A journal entry as one line of JSON, with its world. Of requests and responses it contains only method and URL: headers and
 * bodies contain secrets, and the journal contains them.
 */
export const jsonLine = (world: string, entry: JournalEntry): string =>
  JSON.stringify({ world, ...(entry.kind === "attempt" ? withoutSecrets(entry) : entry) })

const withoutSecrets = ({ request, response: _, ...attempt }: Extract<JournalEntry, { readonly kind: "attempt" }>) => ({
  ...attempt,
  request: { method: request.method, url: bareUrl(request.url) }
})
