/** All that differs between the databases that the repositories run on. */
export interface Dialect {
  readonly name: "sqlite" | "pg"
  /** Column types. Whole numbers have 64 bits: instants are milliseconds since 1970. */
  readonly integer: string
  readonly integerKey: string
  /** A key that the database gives, in the order in which rows are made. */
  readonly sequenceKey: string
  /** What follows a table whose rows lie in the order of its key, where a table can be made so. */
  readonly clustered: string
  /** Before `TABLE`, where what is in it may be lost in a crash. */
  readonly passing: string
  /**
   * A column, and its part of the key, that keeps a count in several rows whose sum it is: whoever counts at the same time
   * counts in another one, and waits for nobody. Empty where nobody does.
   */
  readonly spread: { readonly column: string; readonly key: string }
  /** What only this database needs. */
  readonly own: ReadonlyArray<string>
  /** After a SELECT whose rows nobody else is to change until the transaction ends. */
  readonly forUpdate: string
  /** The same, without rows that somebody else has so. */
  readonly skippingLocked: string
  /** A value of a column's JSON text, as text or as a number. */
  readonly jsonText: (column: string, key: string) => string
  /** Statements that have so many percent of a table's pages filled at most by new rows: the rest is for what these become. */
  readonly roomToUpdate: (table: string, percent: number) => ReadonlyArray<string>
  /** A migration's statement as this database wants it. */
  readonly definition: (statement: string) => string
}

export const sqliteDialect: Dialect = {
  name: "sqlite",
  integer: "INTEGER",
  integerKey: "INTEGER PRIMARY KEY",
  sequenceKey: "INTEGER PRIMARY KEY AUTOINCREMENT",
  clustered: " WITHOUT ROWID",
  passing: "",
  spread: { column: "", key: "" },
  own: [],
  forUpdate: "",
  skippingLocked: "",
  jsonText: (column, key) => `${column} ->> '${key}'`,
  roomToUpdate: () => [],
  definition: (statement) => statement
}
