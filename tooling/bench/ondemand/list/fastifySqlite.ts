/**
 * The list on fastify and `node:sqlite`, as one would write it for speed: prepared statements, an index for each order, a
 * count that is kept. `node fastifySqlite.ts DATA FILE` makes the database and prints the port.
 */
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { type PeerData, type PeerRecording, paginationOf } from "../../src/list/peers/recordings.ts"
import { type Column, columnNames, columns, schema } from "../../src/list/peers/sqliteSchema.ts"
import { type PeerCaller, serveWithFastify } from "./fastifyApp.ts"

type Row = Readonly<Record<Column, string>> & {
  readonly owner_email: string | null
  readonly owner_name: string | null
}

const [dataFile = "", databaseFile = ""] = process.argv.slice(2)
const { callers, pageSize, recordings } = JSON.parse(readFileSync(dataFile, "utf8")) as PeerData

const key = Buffer.alloc(32, 7)
const hashOf = (token: string) => createHmac("sha256", key).update(token).digest("base64url")

const database = new DatabaseSync(databaseFile)
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000")
database.exec(schema)

const valueAt = (recording: PeerRecording, path: ReadonlyArray<string>) =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], recording) as SQLInputValue

const fill = () => {
  const addUser = database.prepare("INSERT INTO users (email, name, role, token_hash) VALUES (?, ?, ?, ?)")
  const add = database.prepare(
    `INSERT INTO recordings (id, account_id, owner_id, ${columnNames.join(", ")})
      VALUES (?, 1, ?, ${columnNames.map(() => "?").join(", ")})`
  )
  const count = database.prepare(
    "INSERT INTO counts VALUES (?, 1) ON CONFLICT (owner_id) DO UPDATE SET recordings = recordings + 1"
  )
  const users = new Map<string, number | bigint>()
  const idOf = (email: string, name: string) => {
    const known = users.get(email)
    if (known !== undefined) return known
    const caller = callers.find((one) => one.email === email)
    const hash = caller === undefined ? null : hashOf(caller.token)
    const { lastInsertRowid } = addUser.run(email, name, caller?.role ?? "member", hash)
    users.set(email, lastInsertRowid)
    return lastInsertRowid
  }
  database.exec("BEGIN")
  for (const { email } of callers.filter(({ role }) => role === "admin")) idOf(email, email)
  for (const [index, recording] of recordings.entries()) {
    const owner = recording.user === null ? null : idOf(recording.user.email, recording.user.name)
    add.run(recordings.length - index, owner, ...columnNames.map((name) => valueAt(recording, columns[name])))
    // The account's own count is under 0.
    for (const listed of owner === null ? [0] : [0, owner]) count.run(listed)
  }
  database.exec("COMMIT; ANALYZE")
}
fill()

const byToken = database.prepare("SELECT id, email, role FROM users WHERE token_hash = ?")
const counted = database.prepare("SELECT recordings FROM counts WHERE owner_id = ?")
const page = (where: string) =>
  database.prepare(
    `SELECT ${columnNames.map((name) => `r.${name}`).join(", ")}, u.email AS owner_email, u.name AS owner_name
      FROM recordings r LEFT JOIN users u ON u.id = r.owner_id
      WHERE ${where} ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`
  )
const ofAccount = page("r.account_id = 1")
const ofOwner = page("r.account_id = 1 AND r.owner_id = ?")

const authenticate = (authorization: string | undefined): PeerCaller | undefined => {
  if (!authorization?.startsWith("Bearer ")) return undefined
  return byToken.get(hashOf(authorization.slice("Bearer ".length))) as PeerCaller | undefined
}

const list = ({ id, role }: PeerCaller, number: number) => {
  const offset = (number - 1) * pageSize
  const isAdmin = role === "admin"
  const { recordings: count } = counted.get(isAdmin ? 0 : id) as { readonly recordings: number }
  const rows = (isAdmin ? ofAccount.all(pageSize, offset) : ofOwner.all(id, pageSize, offset)) as unknown as Array<Row>
  return {
    pagination: paginationOf({ count, page: number, pageSize, shown: rows.length }),
    records: rows.map(recordingOf)
  }
}

const recordingOf = (row: Row) => ({
  uuid: row.uuid,
  title: row.title,
  summary: row.summary,
  description: row.description,
  metadata: {
    created_at: row.created_at,
    updated_at: row.updated_at,
    duration: row.duration,
    impressions_count: row.impressions_count,
    recording_type: row.recording_type,
    recording_source: row.recording_source,
    url: row.url,
    helpdesk_info: {
      platform: row.platform,
      conversation_id: row.conversation_id,
      ticket_id: row.ticket_id,
      active_ticket_id: row.active_ticket_id,
      user_id: row.helpdesk_user_id,
      operator_id: row.operator_id,
      customer_id: row.customer_id,
      issue_id: row.issue_id,
      object_id: row.object_id
    }
  },
  technical_details: {
    vendor: row.vendor,
    ip_address: row.ip_address,
    timezone: row.timezone,
    network_type: row.network_type,
    isp: row.isp
  },
  console_logs: row.console_logs,
  customer: { email: row.customer_email },
  user: row.owner_email === null ? null : { email: row.owner_email, name: row.owner_name },
  room_insights: null
})

const change = database.prepare("UPDATE recordings SET title = ? WHERE uuid = ?")
const retitle = (uuid: string, title: string) => (change.run(title, uuid).changes === 1 ? { uuid, title } : undefined)

console.log(await serveWithFastify({ authenticate, list, retitle }))
