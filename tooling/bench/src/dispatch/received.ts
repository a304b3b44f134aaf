import { Agent, request } from "undici"
import { cert } from "./certificate.ts"

/** What the receiver tells of itself. */
export interface Received {
  /** How many requests, since it started. */
  readonly received: number
  /** When the last one's headers were there, on the machine's monotonic clock. */
  readonly lastAtNs: string
}

const agent = new Agent({ connect: { ca: cert } })

export const askReceiver = async (url: string): Promise<Received> => {
  const { body } = await request(url, { dispatcher: agent })
  return (await body.json()) as Received
}
