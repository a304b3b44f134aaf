import { Client } from "pg"

/**
 * Copies one delivery as often as told, each a millisecond later than the one before, and lets PostgreSQL look at what came
 * of it, which it would otherwise do in the middle of a round. The bodies come along.
 */
export const copyDelivery = async (connectionString: string, id: string, count: number): Promise<void> => {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const own = new Set(["sequence", "id", "due_at", "due_order"])
    const { rows } = await client.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'deliveries' ORDER BY ordinal_position"
    )
    const shared = rows.map(({ name }) => name).filter((name) => !own.has(name))
    await client.query(
      `WITH made AS (
        INSERT INTO deliveries (id, due_at, due_order, ${shared.join(", ")})
        SELECT 'waiting_' || copy, due_at + copy, due_order, ${shared.join(", ")}
        FROM deliveries, generate_series(1, $2::integer) copy WHERE id = $1 RETURNING sequence
      )
      INSERT INTO delivery_documents (sequence, document, body)
      SELECT made.sequence, document, body FROM made,
        (SELECT document, body FROM delivery_documents JOIN deliveries USING (sequence) WHERE id = $1) copied`,
      [id, count]
    )
    await client.query("VACUUM ANALYZE deliveries")
    await client.query("VACUUM ANALYZE delivery_documents")
  } finally {
    await client.end()
  }
}
