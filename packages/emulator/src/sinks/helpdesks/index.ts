import { outcomeOfStatus } from "@tapedeck/domain/internal/delivery"
import type { HelpdeskKind, Outcome } from "@tapedeck/fixtures"
import type { SinkRequest } from "../Sinks.ts"
import { freshchat, freshdesk, freshservice } from "./freshworks.ts"
import type { Helpdesk, HelpdeskNote, HelpdeskOutcome } from "./HelpdeskApi.ts"
import { helpscout } from "./helpscout.ts"
import { hubspot } from "./hubspot.ts"
import { intercom } from "./intercom.ts"
import { jira } from "./jira.ts"
import { zendesk } from "./zendesk.ts"

export type { SinkRequest }

const helpdesks: Readonly<Record<HelpdeskKind, Helpdesk>> = {
  zendesk,
  intercom,
  freshdesk,
  freshchat,
  freshservice,
  helpscout,
  hubspot,
  jira
}

type ReceivedRequest = Pick<SinkRequest, "method" | "path" | "headers" | "body">

const outcomeAt = (
  kind: HelpdeskKind,
  { body, headers, method, path }: ReceivedRequest,
  number: number
): HelpdeskOutcome =>
  helpdesks[kind]({
    method,
    // Below the sink, whose id is the first segment.
    path: path.slice(Math.max(0, path.indexOf("/", 1))),
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
    number
  })

const statusOf = (outcome: Outcome): number | undefined =>
  typeof outcome === "number" ? outcome : typeof outcome === "object" ? outcome.status : undefined

const isSuccess = (outcome: Outcome): boolean => {
  const status = statusOf(outcome)
  return status !== undefined && outcomeOfStatus(status) === "success"
}

/**
 * Returns the outcome of a request to a helpdesk. Where the script has a success, the helpdesk answers: with its own status for a scripted
 * status, with the scripted response for an object, if it accepts the request, and with its error if it does not.
 */
export const helpdeskAnswer = (
  kind: HelpdeskKind,
  scripted: Outcome,
  request: ReceivedRequest,
  number: number
): Outcome => {
  if (!isSuccess(scripted)) return scripted
  const { answer, note } = outcomeAt(kind, request, number)
  const after = typeof scripted === "object" && scripted.after !== undefined ? { after: scripted.after } : {}
  if (note !== null && typeof scripted === "object") return scripted
  const { body, headers = {}, status } = answer
  return {
    status,
    headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...after
  }
}

/** Returns the notes that a helpdesk has written: those of the requests that it accepted, oldest first. */
export const notesOf = (kind: HelpdeskKind, requests: ReadonlyArray<SinkRequest>): ReadonlyArray<HelpdeskNote> =>
  requests.flatMap((request, index) => {
    const note = isSuccess(request.outcome) ? outcomeAt(kind, request, index + 1).note : null
    return note === null ? [] : [note]
  })
