import { Schema } from "effect"

/** The database cannot be used; the message says why, and what to do. */
export class DatabaseRefused extends Schema.TaggedError<DatabaseRefused>()("DatabaseRefused", {
  /** A file, or an address without what is secret in it. */
  file: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.file}: ${this.why}`
  }
}

/** The database's secrets are kept by another key than the given one. Both are named by what tells keys apart, no more. */
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
