import type { Migration } from "../migrate.ts"

/** Answers to requests with an `Idempotency-Key`. A program of the version before ignores the header, as it always did. */
export const idempotencyKeys: Migration = {
  version: 10,
  name: "idempotency_keys",
  worksFrom: 9,
  statements: ({ integer, sequenceKey }) => [
    `CREATE TABLE idempotency_keys (
      sequence ${sequenceKey},
      id TEXT NOT NULL UNIQUE,
      caller TEXT NOT NULL,
      sealed TEXT NOT NULL,
      expires_at ${integer} NOT NULL
    )`,
    "CREATE INDEX idempotency_keys_caller ON idempotency_keys (caller, sequence)",
    "CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)"
  ]
}
