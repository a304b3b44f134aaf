import type { Clock } from "./clock.ts"
import type { SiteDetails } from "./PageApi.ts"

/** What a recorder's window says to a page. `ping` holds nothing secret: it goes to any page. */
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

/** A page's answer to a ping. `page`: a random name of this load. */
export interface FromPage {
  readonly tapedeck: "here"
  readonly key: string
  readonly page: string
  readonly wantsCode: boolean
  readonly details: SiteDetails
}

/** How often a recorder pings, and for how long a page goes on without a ping. */
export const pingMs = 500
export const silenceMs = 15_000

/** Whether data is a message about this site. */
export const isAbout = (data: unknown, key: string): data is { readonly tapedeck: string } =>
  typeof data === "object" && data !== null && "tapedeck" in data && "key" in data && data.key === key
