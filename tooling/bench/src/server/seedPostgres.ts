import { AccessTokens } from "@tapedeck/core"
import { ownerWords } from "@tapedeck/domain/internal/recordings"
import { loadStartDocument } from "@tapedeck/fixtures"
import { inspectPostgres } from "@tapedeck/storage/postgres"
import { Effect, Layer, Redacted } from "effect"
import { Client } from "pg"
import { storeOn } from "../dispatch/ourStore.ts"
import { recordingsDocument } from "../list/fixtures.ts"

/** These come as a start document does, through the store; all others are copies of them, made by PostgreSQL itself. */
const models = 1_000

export interface Seeded {
  /** Of the one account that grows. */
  readonly recordings: number
  readonly accounts: number
  /** Of each of the other accounts. */
  readonly ofOthers: number
  /** Number of words of each transcript of the large account. Default: no transcripts. */
  readonly words?: number
}

/**
 * Fills an empty database: one account with so many recordings, among accounts with a few each. What the lists count is
 * checked as `tapedeck doctor` does, and the tables are vacuumed and analysed, as autovacuum would within minutes.
 */
export const seedPostgres = async (url: string, seeded: Seeded): Promise<void> => {
  const { config: _, ...document } = recordingsDocument(models, 25, seeded.words)
  const start = loadStartDocument(document, { vendor: "Tapedeck", allowHttp: false })
  await Effect.runPromise(Effect.provide(start, AccessTokens.layer.pipe(Layer.provideMerge(storeOn("postgres", url)))))
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await copyModels(client, seeded)
    await addOthers(client, seeded)
    await client.query(countLists)
    await client.query(setNumbers)
    await client.query("VACUUM ANALYZE")
  } finally {
    await client.end()
  }
  const { faults } = await Effect.runPromise(inspectPostgres(Redacted.make(url)))
  const found = Object.values(faults).flat()
  if (found.length > 0) throw new Error(`the seeded database is not as a server would leave it: ${found[0]}`)
}

type Document = Record<string, unknown> & { readonly helpdesk: { readonly ticketId: string } }

/** A recording's text with marks where a copy says something of its own. Some help desks keep the ticket's id twice. */
const marked = ({ helpdesk, ...recording }: Document): string =>
  JSON.stringify({
    ...recording,
    helpdesk: Object.fromEntries(
      Object.entries(helpdesk).map(([name, value]) => [name, value === helpdesk.ticketId ? "@ticket@" : value])
    ),
    ...{ id: "@id@", uuid: "@uuid@", accountId: "@account@", createdAt: "@at@", updatedAt: "@at@" }
  })

const keepModels = async (client: Client): Promise<void> => {
  await client.query("CREATE TEMPORARY TABLE models AS SELECT (id - 1)::int AS place, * FROM recordings")
  await client.query("ALTER TABLE models ADD PRIMARY KEY (place)")
  const { rows } = await client.query<{ place: number; document: string }>("SELECT place, document FROM models")
  const texts = rows.map(({ document }) => marked(JSON.parse(document) as Document))
  await client.query(
    "UPDATE models m SET document = t.text FROM unnest($1::int[], $2::text[]) t (place, text) WHERE m.place = t.place",
    [rows.map(({ place }) => place), texts]
  )
}

/** Copies models into `recordings`. `own` has the expressions of the columns that a copy does not share with its model. */
const insertCopies = async (client: Client, own: Readonly<Record<string, string>>, from: string): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'recordings' AND is_generated = 'NEVER'"
  )
  const columns = rows.map(({ name }) => name)
  const values = columns.map((name) => own[name] ?? `m.${name}`)
  await client.query(
    `INSERT INTO recordings (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${from} ORDER BY n`
  )
}

const filled = (id: string, uuid: string, account: string, at: string, ticket: string) => `
  replace(replace(replace(replace(replace(m.document, '"@id@"', (${id})::text), '@uuid@', ${uuid}), '"@account@"',
    (${account})::text), '"@at@"', (${at})::text), '@ticket@', (${ticket})::text)`

const uuidOf = (kind: string, number: string) => `'00000000-0000-4000-${kind}-' || lpad((${number})::text, 12, '0')`

/** Round after round of the models, each with an id, a time and a ticket of its own, and with the model's transcript. */
const copyModels = async (client: Client, { recordings, words = 0 }: Seeded): Promise<void> => {
  await keepModels(client)
  const [at, uuid] = [`m.created_at + (n / ${models})::bigint * ${models} * 60000`, uuidOf("8000", "n")]
  const own = {
    ...{ id: "n + 1", uuid, ticket_id: "(40000 + n)::text", created_at: at, revision: "1" },
    search: "m.search || ' ' || (40000 + n)::text",
    document: filled("n + 1", uuid, "1", at, "40000 + n")
  }
  const copies = `generate_series(${models}, ${recordings - 1}) n JOIN models m ON m.place = n % ${models}`
  // Built at once, the text index of many transcripts takes a fraction of the time.
  const isRebuilt = words > 0
  const { rows } = await client.query<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE indexname = 'recordings_search'"
  )
  if (isRebuilt) await client.query("DROP INDEX recordings_search")
  await insertCopies(client, own, copies)
  await client.query(`
    INSERT INTO recording_parts (recording_id, part, page, document)
    SELECT n + 1, p.part, p.page, p.document FROM ${copies} JOIN recording_parts p ON p.recording_id = m.id`)
  if (isRebuilt) await client.query(rows[0]!.indexdef)
}

/** Each has one member, who owns its recordings; their tickets have the numbers that the large account's have. */
const addOthers = async (client: Client, { accounts, ofOthers, recordings }: Seeded): Promise<void> => {
  const series = `generate_series(2, ${accounts}) account`
  await client.query(`
    INSERT INTO accounts (id, document)
    SELECT account, jsonb_set(document::jsonb, '{id}', to_jsonb(account))::text FROM accounts, ${series} WHERE id = 1`)
  await client.query(`
    INSERT INTO users (id, account_id, email_key, active_admin, active, created_at, document)
    SELECT 1000 + account, account, 'member' || account || '@other.test', 0, 1, created_at, (document::jsonb || jsonb_build_object(
      'id', 1000 + account, 'accountId', account, 'email', 'member' || account || '@other.test'))::text
    FROM users, ${series} WHERE id = 2`)
  await addWords(client, accounts)
  const uuid = uuidOf("9000", "n")
  const own = {
    ...{ id: `${recordings} + n`, uuid, account_id: "account", owner_id: "1000 + account", revision: "1" },
    ...{ ticket_id: "(40000 + n)::text", spoken: "''", spoken_key: "''" },
    search:
      "replace(replace(m.search, ':a1;', ':a' || account || ';'), ':o' || m.owner_id || ';', ':o' || 1000 + account || ';')",
    document: `replace(${filled(`${recordings} + n`, uuid, "account", "m.created_at", "40000 + n")},
      '"ownerId":' || m.owner_id, '"ownerId":' || 1000 + account)`
  }
  await insertCopies(
    client,
    own,
    `generate_series(1, ${(accounts - 1) * ofOthers}) n
      CROSS JOIN LATERAL (SELECT 2 + (n - 1) / ${ofOthers} AS account) a
      JOIN models m ON m.place = n % ${models}`
  )
}

/** The words by which a search finds the others' members, as a save of each writes them. */
const addWords = async (client: Client, accounts: number): Promise<void> => {
  const { rows } = await client.query<{ id: number; account: number; email: string; name: string }>(
    `SELECT id::int, account_id::int AS account, document::jsonb ->> 'email' AS email, document::jsonb ->> 'name' AS name
      FROM users WHERE account_id BETWEEN 2 AND $1`,
    [accounts]
  )
  const words = rows.flatMap(({ account, id, ...user }) => ownerWords(user).map((word) => ({ account, id, word })))
  await client.query(
    "INSERT INTO user_words (account_id, word, user_id) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])",
    [words.map(({ account }) => account), words.map(({ word }) => word), words.map(({ id }) => id)]
  )
}

/** The lists and their blocks of 2,000, from the beginning of each list on (packages/storage/src/sql/recordings/lists.ts). */
const countLists = `
  DELETE FROM recording_blocks;
  DELETE FROM recording_lists;
  INSERT INTO recording_lists (key, count)
    SELECT 'account:' || account_id, count(*) FROM recordings GROUP BY account_id
    UNION ALL SELECT 'owner:' || account_id || ':' || owner_id, count(*) FROM recordings GROUP BY account_id, owner_id;
  INSERT INTO recording_blocks (list_id, from_at, from_id, count)
    SELECT l.id, CASE place WHEN 0 THEN -9000000000000000 ELSE created_at END, CASE place WHEN 0 THEN 0 ELSE r.id END,
      least(2000, l.count - place)
    FROM (
      SELECT 'account:' || account_id AS key, created_at, id,
        row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) - 1 AS place FROM recordings
      UNION ALL SELECT 'owner:' || account_id || ':' || owner_id, created_at, id,
        row_number() OVER (PARTITION BY account_id, owner_id ORDER BY created_at, id) - 1 FROM recordings) r
    JOIN recording_lists l ON l.key = r.key WHERE place % 2000 = 0`

const setNumbers = ["account", "user", "recording"]
  .map((kind) => `SELECT setval('numbers_${kind}', (SELECT max(id) FROM ${kind}s))`)
  .join(";")
