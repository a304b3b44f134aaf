import type { Migration } from "../migrate.ts"

/** `available_at`: when it is due or, while a worker has it in hand, when the lease ends. */
export const mediaJobs: Migration = {
  version: 2,
  name: "media_jobs",
  statements: ({ integer }) => [
    `CREATE TABLE media_jobs (
      recording_uuid TEXT NOT NULL,
      kind TEXT NOT NULL,
      file_id TEXT NOT NULL,
      failed_tries ${integer} NOT NULL,
      due_at ${integer} NOT NULL,
      available_at ${integer} NOT NULL,
      fence ${integer} NOT NULL,
      PRIMARY KEY (recording_uuid, kind)
    )`,
    "CREATE INDEX media_jobs_available ON media_jobs (available_at, fence)"
  ]
}
