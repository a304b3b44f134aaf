import { Client } from "pg"

/**
 * Copies one delivery as often as told, each a millisecond later than the one before, and lets PostgreSQL look at what came
 * of it, which it would otherwise do in the middle of a round. The bodies come along.
 */
export const copyDelivery = async (connectionString: string, id: string, count: number): Promise<void> => {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const columnsOf = async (table: string, own: ReadonlyArray<string>) => {
      const { rows } = await client.query<{ name: string }>(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position",
        [table]
      )
      return rows.map(({ name }) => name).filter((name) => !own.includes(name))
    }
    const fixed = (await columnsOf("deliveries", ["sequence", "id"])).join(", ")
    const queued = (await columnsOf("delivery_queue", ["sequence", "due_at"])).join(", ")
    await client.query(
      `WITH one AS (SELECT * FROM deliveries WHERE id = $1),
      made AS (
        INSERT INTO deliveries (id, ${fixed}) SELECT 'waiting_' || copy, ${fixed}
        FROM one, generate_series(1, $2::integer) copy RETURNING sequence
      ), queued AS (
        INSERT INTO delivery_queue (sequence, due_at, ${queued})
        SELECT made.sequence, due_at + made.sequence - one.sequence, ${queued.replaceAll("account_id", "q.account_id")}
        FROM made, one JOIN delivery_queue q USING (sequence)
      )
      INSERT INTO delivery_documents (sequence, document, body)
      SELECT made.sequence, document, body FROM made, one JOIN delivery_documents USING (sequence)`,
      [id, count]
    )
    for (const table of ["deliveries", "delivery_queue", "delivery_documents"]) {
      await client.query(`VACUUM ANALYZE ${table}`)
    }
  } finally {
    await client.end()
  }
}
