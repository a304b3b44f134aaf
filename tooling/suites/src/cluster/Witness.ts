import type { TestDatabase } from "../postgres/index.ts"

/** A change of what the queue has of a delivery, or its end, as PostgreSQL made it. */
export interface Change {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The port that the connection came from. */
  readonly port: number
  readonly id: string
  readonly fence_before: number
  readonly fence: number
  readonly state_before: string
  readonly state: string
  readonly attempts_before: number
  readonly attempts: number
  readonly due_before: number | null
  /** The end of its lease, before and after the change; 0 if it had none. */
  readonly leased_before: number | null
  readonly leased: number | null
  /** When its attempt was begun. */
  readonly claimed_before: number | null
  readonly claimed: number | null
}

/** A claim that has not been settled. */
export interface Lease extends Pick<Change, "at" | "port"> {
  readonly id: string
  readonly fence: number
}

const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const stateOf = (row: string) => `CASE WHEN ${row}.due_kind <> 'attempt' OR ${row}.leased_until > 0 THEN 'Attempting'
      WHEN ${row}.retry = 0 THEN 'Scheduled' ELSE 'Waiting' END`

/** Null for one that has not ended. */
const endOf = (row: string) => `coalesce(${row}.ended_as,
      (SELECT 'Delivered' FROM delivery_attempts a WHERE a.sequence = ${row}.sequence AND a.delivered_at IS NOT NULL LIMIT 1))`

// Triggers fire when the statement is done: how the delivery ended, and its last attempt, are there to be read.
const installed = `
  CREATE TABLE witness (n BIGINT GENERATED ALWAYS AS IDENTITY, at BIGINT, port INT, id TEXT, fence_before BIGINT, fence BIGINT,
    state_before TEXT, state TEXT, attempts_before BIGINT, attempts BIGINT, due_before BIGINT,
    claimed_before BIGINT, claimed BIGINT, leased_before BIGINT, leased BIGINT);
  CREATE INDEX witness_id ON witness (id);
  CREATE TABLE witness_rewritten (sequence BIGINT, place BIGINT);
  CREATE FUNCTION witness_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness (at, port, id, fence_before, fence, state_before, state, attempts_before, attempts, due_before,
      claimed_before, claimed, leased_before, leased)
    SELECT ${now}, inet_client_port(), id, OLD.fence, NEW.fence, ${stateOf("OLD")}, ${stateOf("NEW")}, OLD.attempts,
      NEW.attempts, OLD.due_at, OLD.claimed_at, NEW.claimed_at,
      OLD.leased_until, NEW.leased_until FROM deliveries WHERE sequence = NEW.sequence;
    RETURN NULL;
  END $$;
  CREATE FUNCTION witness_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness (at, port, id, fence_before, fence, state_before, state, attempts_before, attempts, due_before)
    SELECT ${now}, inet_client_port(), id, OLD.fence, OLD.fence, ${stateOf("OLD")}, coalesce(${endOf("d")}, 'lost'), OLD.attempts,
      (SELECT count(*) FROM delivery_attempts a WHERE a.sequence = d.sequence), OLD.due_at
    FROM deliveries d WHERE sequence = OLD.sequence;
    RETURN NULL;
  END $$;
  CREATE FUNCTION witness_after_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness (at, port, id, fence_before, fence, state_before, state, attempts_before, attempts)
    SELECT ${now}, inet_client_port(), NEW.id, 0, 0, ${endOf("OLD")}, coalesce(NEW.ended_as, 'queued'), 0, 0
    WHERE ${endOf("OLD")} IS NOT NULL;
    RETURN NULL;
  END $$;
  CREATE FUNCTION witness_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness_rewritten VALUES (OLD.sequence, OLD.place);
    RETURN NULL;
  END $$;
  CREATE TRIGGER witness_change AFTER UPDATE ON delivery_queue FOR EACH ROW EXECUTE FUNCTION witness_change();
  CREATE TRIGGER witness_end AFTER DELETE ON delivery_queue FOR EACH ROW EXECUTE FUNCTION witness_end();
  CREATE TRIGGER witness_after_end AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION witness_after_end();
  CREATE TRIGGER witness_rewriting AFTER UPDATE OR DELETE ON delivery_attempts FOR EACH ROW EXECUTE FUNCTION witness_rewriting();`

/**
 * Records every change of a delivery in the queue, and its end, from inside the database, in the order in which rows were changed,
 * also those of nodes that have failed since.
 */
export class Witness {
  private readonly database: TestDatabase

  constructor(database: TestDatabase) {
    this.database = database
  }

  install(): Promise<unknown> {
    return this.database.query(installed)
  }

  /** Milliseconds since 1970 by the database. */
  async now(): Promise<number> {
    const [row] = await this.database.query(`SELECT ${now}::float8 AS now`)
    return Number(row?.now)
  }

  /** The leases of deliveries. */
  async leases(): Promise<ReadonlyArray<Lease>> {
    const rows = await this.database.query(`
      SELECT d.id, q.fence::float8, c.at::float8, c.port
      FROM delivery_queue q JOIN deliveries d USING (sequence), LATERAL (
        SELECT at, port FROM witness w WHERE w.id = d.id AND w.fence = q.fence AND w.fence <> w.fence_before) c
      WHERE q.leased_until > 0`)
    return rows as unknown as ReadonlyArray<Lease>
  }

  /** Lets the time pass that these leases last: instead of the minute, their rows are put back. */
  async age(leases: ReadonlyArray<Lease>): Promise<void> {
    if (leases.length === 0) return
    const held = leases.map(({ fence, id }) => `('${id}', ${fence})`).join(", ")
    // Not a node's change: disable the triggers.
    await this.database.query(`
      BEGIN; SET LOCAL session_replication_role = replica;
      UPDATE delivery_queue q SET leased_until = ${now} FROM deliveries d
      WHERE d.sequence = q.sequence AND leased_until > ${now} AND (id, fence) IN (${held});
      COMMIT`)
  }

  /** Lets the time pass after which PostgreSQL ends a session that is idle inside a transaction, for these ports' sessions. */
  endIdleTransactions(ports: ReadonlyArray<number>): Promise<unknown> {
    return this.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE state LIKE 'idle in transaction%' AND client_port = ANY($1::int[])`,
      [ports]
    )
  }

  /** How many deliveries are due or claimed. */
  async moving(): Promise<number> {
    const [row] = await this.database.query(
      `SELECT count(*)::int AS moving FROM delivery_queue WHERE leased_until > 0 OR due_at <= ${now}`
    )
    return Number(row?.moving)
  }

  async changes(): Promise<ReadonlyArray<Change>> {
    const rows = await this.database.query(`
      SELECT at::float8, port, id, fence_before::float8, fence::float8, state_before, state, attempts_before::float8,
        attempts::float8, due_before::float8, claimed_before::float8, claimed::float8, leased_before::float8, leased::float8
      FROM witness ORDER BY n`)
    return rows as unknown as ReadonlyArray<Change>
  }

  /** Attempts on record that were changed or removed: there is no reason for that. */
  async rewritten(): Promise<ReadonlyArray<string>> {
    const rows = await this.database.query("SELECT sequence::text, place::text FROM witness_rewritten")
    return rows.map(({ place, sequence }) => `attempt ${place} of delivery number ${sequence} was rewritten`)
  }
}
