import { checkHeaders, checkTemplate, checkUrl } from "../webhookChecks.ts"
import { checkRecordings } from "./checkRecordings.ts"
import type { CheckContext } from "./context.ts"
import { emailKey } from "./known.ts"
import type { Path } from "./lenient.ts"
import { type Lenient, present } from "./lenient.ts"
import { type Found, type Report, within } from "./problems.ts"
import { accountIn, sinkIn, uniqueKeys } from "./references.ts"
import type { AuditDestinationEntry, AutomationEntry, StartDocument } from "./schema.ts"

/**
 * What is wrong with a document beyond what its schema says: references, duplicates, and values that cannot be in this
 * world. It may be one from which the schema's refusals were taken out, so that all comes at once.
 */
export const checkDocument = (document: Lenient<StartDocument>, context: CheckContext): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const report: Report = (path, message) => found.push({ path, message })
  if (document.config !== undefined) report(["config"], "can only be set when a world starts")
  checkAccounts(document, context, report)
  checkUsers(document, context, report)
  checkFolders(document, context, report)
  checkSinks(document, context, report)
  checkRecordings(document.recordings, context, report)
  checkAutomations(document, context, report)
  checkDestinations(document, context, report)
  return found
}

const checkAccounts = (document: Lenient<StartDocument>, { known }: CheckContext, report: Report) => {
  if (document.account !== undefined && document.accounts !== undefined) {
    report(["accounts"], "give either account or accounts")
  }
  const uniqueId = uniqueKeys("id", new Set<number>(known.accounts.map(({ id }) => id)))
  uniqueId(document.account?.id, ["account", "id"], report)
  for (const [index, { id }] of present(document.accounts)) uniqueId(id, ["accounts", index, "id"], report)
}

const checkUsers = (document: Lenient<StartDocument>, context: CheckContext, report: Report) => {
  const { known } = context
  const uniqueEmail = uniqueKeys<string>("e-mail address", known.users)
  const uniqueId = uniqueKeys<number>("id", known.userIds)
  const uniqueToken = uniqueKeys<string>("token", known.tokens)
  for (const [index, user] of present(document.users)) {
    const path: Path = ["users", index]
    const email = user.email === undefined ? undefined : emailKey(user.email)
    uniqueEmail(email, [...path, "email"], report)
    uniqueId(user.id, [...path, "id"], report)
    uniqueToken(user.token, [...path, "token"], report)
    accountIn(context, user.account, within(report, ...path))
  }
}

const checkFolders = (document: Lenient<StartDocument>, context: CheckContext, report: Report) => {
  const uniqueId = uniqueKeys<string>("id", context.known.folders)
  for (const [index, folder] of present(document.folders)) {
    uniqueId(folder.id, ["folders", index, "id"], report)
    accountIn(context, folder.account, within(report, "folders", index))
  }
}

const checkSinks = (document: Lenient<StartDocument>, { options }: CheckContext, report: Report) => {
  if (document.sinks !== undefined && options.sinkUrl === undefined) report(["sinks"], "only the emulator has sinks")
  const uniqueId = uniqueKeys<string>("id", options.takenSinks ?? new Set())
  for (const [index, { id }] of present(document.sinks)) uniqueId(id, ["sinks", index, "id"], report)
}

const checkAutomations = (document: Lenient<StartDocument>, context: CheckContext, report: Report) => {
  const uniqueId = uniqueKeys<string>("id", context.known.automationIds)
  for (const [index, automation] of present(document.automations)) {
    const here = within(report, "automations", index)
    const { folder, id, payload } = automation
    uniqueId(id, ["automations", index, "id"], report)
    if (folder !== undefined && !context.accountOfFolder.has(folder)) here(["folder"], `no such folder ${folder}`)
    checkWebhook(automation, context, here)
    if (typeof payload === "string") checkTemplate(payload, within(here, "payload"))
  }
}

const checkDestinations = (document: Lenient<StartDocument>, context: CheckContext, report: Report) => {
  const uniqueId = uniqueKeys<string>("id", context.known.destinationIds)
  for (const [index, destination] of present(document.audit_destinations)) {
    const here = within(report, "audit_destinations", index)
    uniqueId(destination.id, ["audit_destinations", index, "id"], report)
    accountIn(context, destination.account, here)
    checkWebhook(destination, context, here)
  }
}

/** What automations and destinations have in common. */
const checkWebhook = (
  { headers, url }: Pick<Lenient<AutomationEntry | AuditDestinationEntry>, "headers" | "url">,
  { options, sinkIds }: CheckContext,
  report: Report
) => {
  const sink = url === undefined ? undefined : sinkIn(url)
  if (sink !== undefined) {
    if (!sinkIds.has(sink)) report(["url"], `no such sink ${sink}`)
  } else if (url !== undefined) {
    checkUrl(url, options.allowHttp, within(report, "url"))
  }
  const valid = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined)
  checkHeaders(Object.fromEntries(valid), options.vendor, within(report, "headers"))
}
