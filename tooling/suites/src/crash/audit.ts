import { call } from "../support/http.ts"
import { bodyOf } from "../support/target.ts"
import { type Client, type Known, sha256, type Target, type Told } from "./Client.ts"
import { type Hit, refuses } from "./Receiver.ts"

/** A delivery as the execution log has it. */
export interface LoggedDelivery {
  readonly id: string
  readonly state: string
  readonly automation_id: string
  readonly recording_uuid: string
  readonly attempts: ReadonlyArray<{ readonly outcome: string; readonly status_code: number | null }>
}

/** Every delivery of the automations, page by page. */
export const deliveriesOf = async (target: Target, automations: ReadonlyArray<string>) => {
  const all: Array<LoggedDelivery> = []
  for (const automation of automations) {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const path = `/api/settings/automations/${automation}/deliveries${cursor}`
      const answer = await call(target.baseUrl, path, { token: target.token, ownSocket: true })
      const found = bodyOf<{ pagination: { next_cursor?: string }; deliveries: ReadonlyArray<LoggedDelivery> }>(answer)
      all.push(...found.deliveries)
      const next = found.pagination.next_cursor
      cursor = next === undefined ? undefined : `?cursor=${next}`
    }
  }
  return all
}

/** The UUIDs of all recordings. */
const recordingsOf = async ({ baseUrl, token }: Target): Promise<ReadonlyArray<string>> => {
  const all: Array<string> = []
  for (let page: number | undefined = 1; page !== undefined; ) {
    const answer = await call(baseUrl, `/api/settings/recordings?page=${page}`, { token, ownSocket: true })
    const found = bodyOf<{ pagination: { next_page?: number }; records: ReadonlyArray<{ uuid: string }> }>(answer)
    all.push(...found.records.map(({ uuid }) => uuid))
    page = found.pagination.next_page
  }
  return all
}

/** Each POST was repeated with its key until it was answered for: a recording of which no client knows was made twice. */
const madeTwice = (all: ReadonlyArray<string>, known: ReadonlyArray<Known>): ReadonlyArray<string> => {
  const uuids = known.map(({ uuid }) => uuid)
  const unknown = all
    .filter((uuid) => !uuids.includes(uuid))
    .map((uuid) => `${uuid} was made, and no client knows of it`)
  const twice = uuids.length - new Set(uuids).size
  return twice === 0 ? unknown : [...unknown, `${twice} answers were given to more than one request`]
}

const isOneOf = <A>({ accepted, inDoubt }: Told<A>, value: A): boolean => accepted === value || inDoubt.includes(value)

/** What is wrong with a recording, by what its client was told. */
const recordingFaults = async (target: Target, one: Known): Promise<ReadonlyArray<string>> => {
  const { token } = target
  const answer = await call(target.baseUrl, `/api/settings/recordings/${one.uuid}`, { token, ownSocket: true })
  if (answer.status !== 200) return [`recording ${one.uuid} was accepted and is ${answer.status}`]
  const found = answer.as<{ title: string; folder_id: string | null }>()
  const faults: Array<string> = []
  if (!isOneOf(one.title, found.title))
    faults.push(`${one.uuid}: its title is ${found.title}, not ${one.title.accepted}`)
  if (!isOneOf(one.folder, found.folder_id))
    faults.push(`${one.uuid}: its folder is ${found.folder_id}, not ${one.folder.accepted}`)
  const video = await call(target.baseUrl, `/api/v2/recordings/${one.uuid}/download`, { token, ownSocket: true })
  const hash = video.status === 200 ? sha256(video.body) : null
  if (!isOneOf(one.video, hash)) faults.push(`${one.uuid}: its video (${video.status}) is not what was uploaded`)
  return faults
}

/** What is wrong with the deliveries of a recording: as many as folders that it came into. */
const moveFaults = (one: Known, made: number): ReadonlyArray<string> =>
  made >= one.moves && made <= one.moves + one.movesInDoubt
    ? []
    : [`${one.uuid}: ${made} deliveries of ${one.moves} changes of folder (and ${one.movesInDoubt} in doubt)`]

const states = ["scheduled", "attempting", "waiting", "delivered"]

/** What is wrong with a delivery, by what its receiver saw. */
const deliveryFaults = (one: LoggedDelivery, hits: ReadonlyArray<Hit>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  if (!states.includes(one.state)) faults.push(`delivery ${one.id} is ${one.state}`)
  if (one.state === "delivered" && !hits.some(({ status }) => status === 200))
    faults.push(`${one.id} was never received`)
  if (one.state === "delivered" && refuses(one.id)) faults.push(`${one.id} was refused, and is delivered`)
  const answered = one.attempts.filter(({ status_code }) => status_code !== null).length
  if (answered > hits.length) faults.push(`${one.id}: ${answered} attempts were answered, ${hits.length} received`)
  return faults
}

/** The attempts whose outcome is known: what a killed server had on its way is lost, received or not (W15). */
const recordedOf = ({ attempts }: LoggedDelivery): number => attempts.filter(({ outcome }) => outcome !== "lost").length

/** A killed server cannot have recorded the attempt that it had in flight: at most one a life. */
export const onceALife = (one: LoggedDelivery, hits: ReadonlyArray<Hit>): ReadonlyArray<string> => {
  const lives = new Set(hits.map(({ life }) => life)).size
  return hits.length > recordedOf(one) + lives ? [`${one.id}: ${hits.length} received in ${lives} lives`] : []
}

export interface Findings {
  readonly faults: ReadonlyArray<string>
  readonly recordings: number
  readonly deliveries: Readonly<Record<string, number>>
  /** Attempts that were received and never recorded, because the server was killed before. */
  readonly unrecorded: number
  /** Deliveries that were received more often than once for want of such a record. */
  readonly duplicates: number
  readonly calls: number
  /** POSTs that got no answer, and were found to be done when they were repeated with their key. */
  readonly replayed: number
}

/** Holds what there is against what clients were told and what the receiver saw. */
export const audit = async (
  target: Target,
  clients: ReadonlyArray<Client>,
  hits: ReadonlyArray<Hit>,
  automations: ReadonlyArray<string>,
  /** The faults in how often a delivery was received without a record. */
  unrecordedFaults: (one: LoggedDelivery, hits: ReadonlyArray<Hit>) => ReadonlyArray<string>
): Promise<Findings> => {
  for (const client of clients) await client.settle(target)
  const deliveries = await deliveriesOf(target, automations)
  const known = clients.flatMap((client) => client.known)
  const hitsOf = Map.groupBy(hits, ({ id }) => id)
  const made = Map.groupBy(deliveries, ({ recording_uuid }) => recording_uuid)
  const faults = [
    ...clients.flatMap(({ halfWritten }) => halfWritten.map((what) => `half written: ${what}`)),
    ...clients.flatMap(({ refused }) => refused.map((what) => `refused: ${what}`)),
    ...madeTwice(await recordingsOf(target), known),
    ...(await Promise.all(known.map((one) => recordingFaults(target, one)))).flat(),
    ...known.flatMap((one) => moveFaults(one, made.get(one.uuid)?.length ?? 0)),
    ...deliveries.flatMap((one) => {
      const received = hitsOf.get(one.id) ?? []
      return [...deliveryFaults(one, received), ...unrecordedFaults(one, received)]
    })
  ]
  const ids = new Set(deliveries.map(({ id }) => id))
  for (const id of hitsOf.keys()) if (!ids.has(id)) faults.push(`${id} was sent, and the log does not have it`)
  const unrecordedOf = (one: LoggedDelivery) => (hitsOf.get(one.id)?.length ?? 0) - recordedOf(one)
  return {
    faults,
    recordings: known.length,
    deliveries: countBy(deliveries.map(({ state }) => state)),
    unrecorded: deliveries.reduce((sum, one) => sum + unrecordedOf(one), 0),
    duplicates: deliveries.filter((one) => unrecordedOf(one) > 0 && (hitsOf.get(one.id)?.length ?? 0) > 1).length,
    calls: clients.reduce((sum, { calls }) => sum + calls, 0),
    replayed: clients.reduce((sum, { replayed }) => sum + replayed, 0)
  }
}

const countBy = (names: ReadonlyArray<string>): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
