import type { Clock } from "./clock.ts"
import type { SiteDetails } from "./PageApi.ts"

/** Message of a recorder's window to a page. `ping` contains no secret, because it is sent to any page. */
export type ToPage =
  | { readonly tapedeck: "ping"; readonly key: string }
  | { readonly tapedeck: "clock"; readonly key: string; readonly clock: Clock }
  | {
      readonly tapedeck: "pair"
      readonly key: string
      readonly page: string
      readonly code: string
      readonly stream: string
      readonly clock: Clock
      readonly email: string | null
    }

/** Answer of a page to a ping. `page` is a random name of this load of the page. */
export interface FromPage {
  readonly tapedeck: "here"
  readonly key: string
  readonly page: string
  readonly wantsCode: boolean
  readonly details: SiteDetails
}

/** Interval of a recorder's pings, and time for which a page continues without a ping, in milliseconds. */
export const pingMs = 500
export const silenceMs = 15_000

/** Returns whether data is a message about this site. */
export const isAbout = (data: unknown, key: string): data is { readonly tapedeck: string } =>
  typeof data === "object" && data !== null && "tapedeck" in data && "key" in data && data.key === key
