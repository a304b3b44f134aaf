import { cert } from "@tapedeck/suites/certificate"
import { Agent, request } from "undici"

/** The receiver's report. */
export interface Received {
  /** Number of requests since its start. */
  readonly received: number
  /** Arrival of the last request's headers, on the machine's monotonic clock. */
  readonly lastAtNs: string
}

const agent = new Agent({ connect: { ca: cert } })

export const askReceiver = async (url: string): Promise<Received> => {
  const { body } = await request(url, { dispatcher: agent })
  return (await body.json()) as Received
}
