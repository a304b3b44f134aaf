import { createHmac } from "node:crypto"
import { acme, uuid } from "./acme.ts"
import type { StartDocument } from "./target.ts"

/** Folder automations: the document that most suites on deliveries start from, and what a receiver checks. */

export const recording = {
  uuid: uuid(1),
  title: "Checkout fails",
  user: "bob@acme.test",
  created_at: "2025-12-01T09:00:00.000Z",
  duration: 42
}

/** Bob's recordings 1 to 3, the folders f1 and f2, a sink `crm`, and an automation a1 from f1 to that sink. */
export const hooked = (
  respond: ReadonlyArray<unknown>,
  automation: StartDocument = {},
  rest: StartDocument = {}
): StartDocument =>
  acme({
    recordings: [recording, { ...recording, uuid: uuid(2) }, { ...recording, uuid: uuid(3) }],
    folders: [
      { id: "f1", name: "VIP" },
      { id: "f2", name: "Done" }
    ],
    sinks: [{ id: "crm", respond }],
    automations: [{ id: "a1", folder: "f1", url: "sink:crm", secret: "k", ...automation }],
    ...rest
  })

export const minuteMs = 60_000
/** When the six attempts of a folder delivery start, after the first. */
export const scheduleMs = [0, 1, 6, 36, 156, 876].map((minutes) => minutes * minuteMs)

/** The instant so many milliseconds after another. */
export const instantAfter = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString()

/** A world's first instant, unless it is told another. */
export const start = "2026-01-01T00:00:00.000Z"

export const hmac = (key: string | Uint8Array, text: string | Uint8Array, encoding: "hex" | "base64"): string =>
  createHmac("sha256", key).update(text).digest(encoding)

/** A header by its name in any case. */
export const headerOf = (headers: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : String(found[1])
}
