import type { Dialect } from "../dialect.ts"

/** Files, and the contents that they have, each once (`files/FileBytes.ts`). */
export const fileTables = ({ integer }: Pick<Dialect, "integer">): ReadonlyArray<string> => [
  // `refs`: how many files have it. One that none has is condemned in a transaction of its own before its bytes go.
  `CREATE TABLE file_contents (
    sha256 TEXT PRIMARY KEY,
    size_bytes ${integer} NOT NULL,
    refs ${integer} NOT NULL,
    condemned ${integer} NOT NULL
  )`,
  "CREATE INDEX file_contents_unused ON file_contents (sha256) WHERE refs = 0",
  // `sha256` is null where the bytes are made up. `recording_uuid`: whose it is, since a recording that has it was saved.
  // `loose`: no recording has it, yet or any more; it goes at the next start.
  `CREATE TABLE files (
    id TEXT PRIMARY KEY,
    sha256 TEXT REFERENCES file_contents (sha256),
    size_bytes ${integer} NOT NULL,
    recording_uuid TEXT,
    loose ${integer} NOT NULL
  )`,
  "CREATE INDEX files_recording ON files (recording_uuid) WHERE recording_uuid IS NOT NULL",
  "CREATE INDEX files_loose ON files (id) WHERE loose = 1"
]
