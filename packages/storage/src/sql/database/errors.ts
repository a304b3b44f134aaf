import { Schema } from "effect"

/** The database cannot be used. The message says why, and what to do. */
export class DatabaseRefused extends Schema.TaggedError<DatabaseRefused>()("DatabaseRefused", {
  /** A file, or an address without its secrets. */
  file: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.file}: ${this.why}`
  }
}

/** The database's secrets are sealed with another key. Both keys are named by the beginnings of their fingerprints. */
export class OtherKey extends Schema.TaggedError<OtherKey>()("OtherKey", {
  file: Schema.String,
  found: Schema.String,
  given: Schema.String
}) {
  override get message(): string {
    return (
      `${this.file}: its secrets are sealed with another key (${this.found}) than the given one (${this.given}); ` +
      "give the key that it was last used with, or restore the database and its key from the same backup"
    )
  }
}

/** A stored document is not what its table has. A defect. The problem names paths and expected types, and no values. */
export class RowUnreadable extends Schema.TaggedError<RowUnreadable>()("RowUnreadable", {
  table: Schema.String,
  key: Schema.Union([Schema.String, Schema.Number]),
  problem: Schema.String
}) {
  override get message(): string {
    return `The row ${this.key} of ${this.table} cannot be read: ${this.problem}`
  }
}
