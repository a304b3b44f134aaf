import type { JournalEntry } from "../../journal/Journal.ts"

/** A URL without what may be a secret in it: its user, password and query. */
export const bareUrl = (url: string): string => url.replace(/[?#].*$/s, "").replace(/^(https?:\/\/)[^/@]*@/i, "$1")

/**
 * A journal entry for a machine to read: one line of JSON, with its world. Of what was sent and answered only method and
 * URL are there: headers and bodies carry secrets (S3), and the journal has them.
 */
export const jsonLine = (world: string, entry: JournalEntry): string =>
  JSON.stringify({ world, ...(entry.kind === "attempt" ? withoutSecrets(entry) : entry) })

const withoutSecrets = ({ request, response: _, ...attempt }: Extract<JournalEntry, { readonly kind: "attempt" }>) => ({
  ...attempt,
  request: { method: request.method, url: bareUrl(request.url) }
})
