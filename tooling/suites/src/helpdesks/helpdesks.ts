import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { platformOfProvider } from "@tapedeck/domain"
import { type HelpdeskPreset, helpdeskPresets, presetSettings } from "@tapedeck/domain/internal/presets"
import type { HelpdeskKind } from "@tapedeck/fixtures"
import { deliveriesOf, type LoggedDelivery } from "../crash/audit.ts"
import type { Target } from "../crash/Client.ts"
import { Events } from "../crash/Events.ts"
import { Life } from "../crash/Life.ts"
import { Random } from "../determinism/Random.ts"
import { cert } from "../support/certificate.ts"
import { call } from "../support/http.ts"
import { temporaryFolder } from "../support/process.ts"
import { Desks, kinds } from "./Desks.ts"

export interface HelpdesksOptions {
  readonly seed: number
  readonly recordings: number
  readonly kills: number
  /** Told of each start of the server. */
  readonly tell?: (line: string) => void
}

export interface HelpdesksFindings {
  readonly faults: ReadonlyArray<string>
  readonly recordings: number
  /** Attempts that reached a helpdesk, and those that it refused. */
  readonly requests: number
  readonly refused: number
  /** Deliveries that needed more than one attempt; each is explained by the log. */
  readonly late: number
  /** Notes beyond the first of a recording; before each, an attempt had no answer. */
  readonly repeated: number
  /** Deliveries of which kills cost so many attempts that none was left: they are delivered again, as an admin does. */
  readonly deliveredAgain: number
  readonly starts: number
}

const shiftedClock = fileURLToPath(new URL("../cluster/shiftedClock.ts", import.meta.url))
const admin = "ada@acme.test"
const folder = "support"
const clients = 8
const hourMs = 3_600_000

/** Starts until all is delivered, beyond the kills. */
const maxFurtherStarts = 30

const presetOf = (kind: HelpdeskKind): HelpdeskPreset =>
  helpdeskPresets.find(({ platform }) => platform === platformOfProvider(kind))!

const ticketFields: Readonly<Record<HelpdeskKind, string>> = {
  zendesk: "ticket_id",
  intercom: "conversation_id",
  freshdesk: "ticket_id",
  freshchat: "conversation_id",
  freshservice: "ticket_id",
  helpscout: "conversation_id",
  hubspot: "object_id",
  jira: "issue_id"
}

const ticketOf = (kind: HelpdeskKind, number: number): string =>
  kind === "jira" ? `SHOP-${number}` : kind === "freshchat" ? `c-${number}` : String(number)

interface Sent {
  readonly uuid: string
  readonly kind: HelpdeskKind
  readonly ticket: string
  readonly title: string
}

const automationOf = (kind: HelpdeskKind): string => `to-${kind}`

/** Recordings in turn for each helpdesk, and an automation for each that the console's preset makes. */
const startDocument = (sent: ReadonlyArray<Sent>, url: string) => ({
  users: [{ email: admin, name: "Ada", role: "admin" }],
  folders: [{ id: folder, name: "Support" }],
  recordings: sent.map(({ kind, ticket, title, uuid }) => ({
    uuid,
    title,
    helpdesk: { platform: presetOf(kind).platform, [ticketFields[kind]]: ticket }
  })),
  automations: kinds.map((kind) => {
    const preset = presetOf(kind)
    const address = "https://desk.test"
    const fields = { address, user: admin, admin: "5", agent: "9", secret: "token" }
    const { url: to, ...settings } = presetSettings(preset, fields)
    const only = { platforms: [preset.platform], has_ticket: true }
    return { id: automationOf(kind), folder, url: to.replace(address, `${url}/${kind}`), ...settings, only }
  })
})

/**
 * Recordings enter a folder with eight automations, one for each helpdesk, while helpdesks refuse, fail and lose answers, and the server
 * is killed at moments that the seed chooses. Each start is some time after the last, so that the whole schedule passes. Then the notes
 * of the helpdesks, held against the execution log.
 */
export const helpdesks = async ({
  kills,
  recordings,
  seed,
  tell = () => {}
}: HelpdesksOptions): Promise<HelpdesksFindings> => {
  const random = new Random(seed)
  const events = new Events()
  const desks = new Desks(new Random(random.integer(0, 2 ** 31)), events)
  const folderOnDisk = await temporaryFolder()
  const caFile = await folderOnDisk.write("ca.pem", cert)
  const sent = Array.from({ length: recordings }, (_, index): Sent => {
    const kind = kinds[index % kinds.length]!
    return {
      uuid: random.uuid(),
      kind,
      ticket: ticketOf(kind, index + 1),
      title: `Recording ${index + 1} of <${kind}>`
    }
  })
  const document = startDocument(sent, await desks.listen())
  const fixtures = await folderOnDisk.write("fixtures.json", JSON.stringify(document))
  const more = ["--fixtures", fixtures, "--page-size", "1000", "--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
  let aheadMs = 0
  let starts = 0
  const start = () => {
    starts += 1
    const environment = { TAPEDECK_TEST_CLOCK: String(aheadMs) }
    return new Life({ data: join(folderOnDisk.path, "data"), more, environment, imports: [shiftedClock] })
  }
  const targetOf = async (one: Life): Promise<Target> => {
    const { base_url: baseUrl, tokens } = await one.listening
    return { baseUrl, token: tokens[admin]! }
  }

  let life = start()
  let alive = Promise.resolve(life)
  const waiting = [...sent]
  const refused: Array<string> = []
  /** Moves one recording after the other; a call that a kill interrupted is repeated. */
  const move = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const path = `/api/settings/recordings/${one.uuid}/folder`
      for (let isMoved = false; !isMoved; ) {
        const { baseUrl, token } = await targetOf(await alive)
        const request = { method: "PUT", json: { folder_id: folder }, token }
        const answer = await call(baseUrl, path, request).catch(() => undefined)
        isMoved = answer !== undefined
        if (answer !== undefined && answer.status !== 200) refused.push(String(answer))
      }
    }
  }
  /** The state of all deliveries, once nothing is due or in flight. */
  const settled = async (): Promise<ReadonlyArray<LoggedDelivery>> => {
    for (;;) {
      const all = await deliveriesOf(await targetOf(life), kinds.map(automationOf))
      if (!all.some(({ state }) => state === "scheduled" || state === "attempting")) return all
    }
  }

  try {
    const moving = Promise.all(Array.from({ length: clients }, move))
    for (let kill = 1; kill <= kills; kill += 1) {
      await life.listening
      // Each recording is sent once at least: there are more requests than kills wait for, even if a kill loses some before they are sent.
      const after = random.integer(1, Math.max(1, Math.floor(recordings / kills / 2)))
      await events.after(after, () => {
        life.kill("SIGKILL")
        aheadMs += random.integer(0, 90) * 60_000
        alive = life.ended.then(start)
      })
      life = await alive
      tell(
        `kill ${kill} of ${kills}, after ${after} requests: ${desks.reached.length} in all, ${waiting.length} recordings left`
      )
    }
    await moving
    let deliveries = await settled()
    let deliveredAgain = 0
    for (let further = 0; further < maxFurtherStarts; further += 1) {
      const failed = failedAlone(deliveries)
      for (const { automation_id: automation, id } of failed) await deliverAgain(await targetOf(life), automation, id)
      deliveredAgain += failed.length
      if (failed.length === 0 && !deliveries.some(isWaiting)) break
      life.kill("SIGTERM")
      await life.ended
      aheadMs += random.integer(1, 12) * hourMs
      life = start()
      deliveries = await settled()
      tell(`${aheadMs / hourMs} h later: ${deliveries.filter(isWaiting).length} wait for a retry`)
    }
    const faults = [...refused, ...faultsOf(sent, deliveries, desks)]
    const ofDelivery = notesByDelivery(desks)
    return {
      faults,
      recordings,
      requests: desks.reached.length,
      refused: desks.reached.filter(({ status }) => status >= 400).length,
      late: deliveries.filter(({ attempts, state }) => state === "delivered" && attempts.length > 1).length,
      repeated: [...ofDelivery.values()].reduce((sum, notes) => sum + notes - 1, 0),
      deliveredAgain,
      starts
    }
  } finally {
    life.kill("SIGKILL")
    await life.ended
    await desks.close()
    await folderOnDisk.remove()
  }
}

/** Deliveries that failed permanently, of recordings that have no other one. */
const failedAlone = (deliveries: ReadonlyArray<LoggedDelivery>): ReadonlyArray<LoggedDelivery> =>
  [...Map.groupBy(deliveries, ({ recording_uuid }) => recording_uuid).values()].flatMap((own) => {
    const sent = own.filter(({ state }) => state !== "skipped")
    return sent.every(({ state }) => state === "permanently_failed") ? sent.slice(0, 1) : []
  })

const deliverAgain = async ({ baseUrl, token }: Target, automation: string, delivery: string): Promise<void> => {
  const path = `/api/settings/automations/${automation}/deliveries/${delivery}/redeliver`
  const answer = await call(baseUrl, path, { method: "POST", token })
  if (answer.status >= 400) throw new Error(String(answer))
}

/** The first attempt and five retries. */
const maxAttempts = 6

const isWaiting = ({ state }: LoggedDelivery): boolean => state === "waiting"

const notesByDelivery = (desks: Desks): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const kind of kinds) {
    for (const { delivery } of desks.notes(kind)) counts.set(delivery, (counts.get(delivery) ?? 0) + 1)
  }
  return counts
}

/** Outcomes of attempts after which the server does not know whether the helpdesk wrote the note. */
const withoutAnswer = ["lost", "reset", "timeout"]

/** Returns the faults of the helpdesks' notes, according to the execution log. */
const faultsOf = (
  sent: ReadonlyArray<Sent>,
  deliveries: ReadonlyArray<LoggedDelivery>,
  desks: Desks
): ReadonlyArray<string> => {
  const made = Map.groupBy(deliveries, ({ recording_uuid }) => recording_uuid)
  const notes = new Map(kinds.map((kind) => [kind, Map.groupBy(desks.notes(kind), ({ ticket }) => ticket)]))
  const hits = Map.groupBy(desks.reached, ({ delivery }) => delivery)
  const unexpected = desks.reached
    .filter(({ mishap, status }) => status >= 400 && mishap !== "too_many_requests" && mishap !== "unavailable")
    .map(({ kind, request }) => `${kind} refused ${request.method} ${request.path}: ${JSON.stringify(request.outcome)}`)
  const total = [...notes.values()].flatMap((tickets) => [...tickets.values()]).flat().length
  const foreign = total - sent.reduce((sum, { kind, ticket }) => sum + (notes.get(kind)?.get(ticket)?.length ?? 0), 0)
  return [
    ...unexpected,
    ...(foreign === 0 ? [] : [`${foreign} notes are on a ticket that has no recording`]),
    ...sent.flatMap(({ kind, ticket, title, uuid }): ReadonlyArray<string> => {
      const faults: Array<string> = []
      const all = made.get(uuid) ?? []
      const failed = all.filter(({ state }) => state === "permanently_failed")
      const own = all.filter(({ state }) => state !== "permanently_failed")
      const [delivered, ...others] = own.filter(({ state }) => state !== "skipped")
      if (own.length !== kinds.length) faults.push(`${uuid}: ${own.length} deliveries for ${kinds.length} automations`)
      if (failed.some(({ attempts }) => attempts.length !== maxAttempts))
        faults.push(`${uuid}: a delivery failed before its retries were used up`)
      if (others.length > 0) faults.push(`${uuid}: ${others.length + 1} deliveries are not skipped`)
      if (delivered?.state !== "delivered")
        return [...faults, `${uuid}: its delivery to ${kind} is ${delivered?.state}`]
      const written = notes.get(kind)?.get(ticket) ?? []
      const attempts = [...failed, delivered].flatMap((one) => one.attempts)
      const doubtful = attempts.filter(({ outcome }) => withoutAnswer.includes(outcome)).length
      if (written.length === 0) faults.push(`${uuid}: ${kind} has no note on ${ticket}`)
      if (written.length > doubtful + 1)
        faults.push(`${uuid}: ${written.length} notes on ${ticket}, and ${doubtful} attempts without an answer`)
      if (written.some((note) => !note.private || !note.text.includes(title)))
        faults.push(`${uuid}: the note on ${ticket} is public, or has not the title: ${written[0]?.text}`)
      const received = hits.get(delivered.id)?.length ?? 0
      if (received > delivered.attempts.length)
        faults.push(`${uuid}: received ${received} times, and the log has ${delivered.attempts.length} attempts`)
      return faults
    })
  ]
}
