import { type LogTarget, PageApi, type Refusal, type SiteDetails, UnavailableError } from "./PageApi.ts"

/** Rule by which a source of a capture link is recorded: never, by the customer's choice, or always. */
export type SourceRule = "off" | "optional" | "required"

/** A capture link, as the customer sees it: `GET /links/{token}`. */
export interface LinkView {
  readonly title: string | null
  readonly message: string | null
  readonly account_name: string
  readonly requested_by: string | null
  /** True if the customer is already known. An e-mail address at the end is then ignored. */
  readonly has_customer: boolean
  readonly sources: Readonly<Record<"screen" | "microphone" | "camera" | "logs", SourceRule>>
  readonly max_duration_seconds: number
  readonly redirect_url: string | null
}

/** A capture that has started. Addresses are paths from `/`. */
export interface Begun {
  readonly id: string
  readonly recording_uuid: string
  readonly capture_token: string
  readonly video_url: string
  readonly logs_url: string
  readonly finish_url: string
  readonly max_duration_seconds: number
  readonly expires_at: string
}

/** Data that a person can add at the end. Ticket and folder are refused unless an agent started the capture. */
export interface Finish {
  readonly title?: string
  readonly customer?: { readonly email: string }
  readonly note?: string
  readonly helpdesk?: { readonly platform: string; readonly ticket_id: string }
  readonly folder_id?: string
}

/** A capture that has ended. `abandoning` and `abandoned`: the server ended it, with the parts that it had received. */
export interface Finished {
  readonly state: "finishing" | "finished" | "abandoning" | "abandoned"
}

/** Calls of the capture API. */
export class CaptureApi extends PageApi {
  readonly link = (token: string): Promise<LinkView> => this.json("GET", `${this.base}/api/capture/links/${token}`)

  /** Starts a capture. A repeated call with the same key returns the same capture. */
  readonly begin = (token: string, key: string): Promise<Begun> => this.#begin(`links/${token}`, {}, key)

  readonly beginBySite = (siteKey: string, details: SiteDetails, key: string): Promise<Begun> =>
    this.#begin(`sites/${siteKey}`, details, key)

  async #begin(entrance: string, input: object, key: string): Promise<Begun> {
    const response = await this.request("POST", `${this.base}/api/capture/${entrance}/captures`, {
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(input)
    })
    return (await response.json()) as Begun
  }

  /** Creates a code for one page, which is valid for 60 seconds. */
  readonly pairingCode = async ({ capture_token: token, logs_url }: LogTarget): Promise<string> => {
    const path = logs_url.replace(/\/logs$/, "/pairing")
    return (await this.json<{ readonly code: string }>("POST", path, { token })).code
  }

  /** Finishes a capture. A repeated call returns the same result, even if the server ended the capture. */
  readonly finish = ({ capture_token, finish_url }: Begun, fields: Finish): Promise<Finished> =>
    this.json("POST", finish_url, { token: capture_token, body: JSON.stringify(fields) })

  readonly discard = async ({ capture_token, finish_url }: Begun): Promise<void> => {
    const path = finish_url.replace(/\/finish$/, "")
    await this.request("DELETE", path, { headers: { authorization: `Capture ${capture_token}` } })
  }

  protected override failure(response: Response, answer: Refusal | null): Error {
    const error = super.failure(response, answer)
    const seconds = Number(response.headers.get("retry-after") ?? "")
    return error instanceof UnavailableError && seconds > 0
      ? new UnavailableError(error.message, error.status, seconds * 1_000)
      : error
  }
}
