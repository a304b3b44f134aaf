/** The differences between the databases in SQL text. */
export interface Dialect {
  readonly name: "sqlite" | "pg"
  /** Column types. Integers have 64 bits; instants are milliseconds since 1970. */
  readonly integer: string
  readonly integerKey: string
  /** A key that the database generates, in the order of insertion. */
  readonly sequenceKey: string
  /** Suffix of the definition of a table that is stored in the order of its key, where that is possible. */
  readonly clustered: string
  /** Keyword before `TABLE` for a table that may lose its rows in a crash. */
  readonly unlogged: string
  /**
   * A column, and its part of the key, that keeps a count in several rows, of which it is the sum: concurrent transactions
   * count in different rows and do not wait for each other. Empty where transactions are not concurrent.
   */
  readonly shard: { readonly column: string; readonly key: string }
  /** A value of a JSON text, as text or as a number. */
  readonly jsonText: (column: string, key: string) => string
  /** The text index of `recordings.search` and `recordings.spoken`: a column that it needs, and what makes it. */
  readonly searchIndex: { readonly column: string; readonly statements: ReadonlyArray<string> }
  /**
   * The order of commits. `advance`: statement that makes the transaction's mark, null if each transaction has one. `horizon`: the mark
   * below which all transactions have ended, in a statement that reads `recording_sync`. `identity`: text that a copy of the database, or
   * an earlier state of it, does not share.
   */
  readonly commits: {
    readonly advance: string | null
    readonly mark: string
    readonly horizon: string
    readonly identity: string
  }
  /** Statements that make what only this database needs. */
  readonly ownTables: ReadonlyArray<string>
  /** Clause after a SELECT that locks its rows until the transaction ends. */
  readonly forUpdate: string
  /** The same, without rows that another transaction has locked. */
  readonly skippingLocked: string
  /** Statements that limit how much of a table's pages new rows fill: updated rows then stay on their page. */
  readonly fillFactor: (table: string, percent: number) => ReadonlyArray<string>
  /** Adapts a statement of a migration to this database. */
  readonly definition: (statement: string) => string
  readonly json: JsonFunctions
}

/** SQL that reads the JSON texts of rows. Both databases support `->` (JSON) and `->>` (a value) on the result of `parse`. */
export interface JsonFunctions {
  readonly parse: (column: string) => string
  readonly array: (...values: ReadonlyArray<string>) => string
  /** An aggregate: the values as one JSON text. */
  readonly arrayOf: (value: string, order: string) => string
  /** An item of FROM: a row for each element of an array, its column `value`; none if there is no array. */
  readonly elements: (array: string) => string
}

/**
 * FTS5, whose rows are numbered in the order of time: what is newest is read first. It keeps no texts, and of each word where it
 * is, with its beginnings of up to 8 letters.
 */
const sqliteSearchIndex: Dialect["searchIndex"] = {
  column: ",\n    place INTEGER GENERATED ALWAYS AS ((created_at << 20) + (id & 1048575)) VIRTUAL",
  statements: [
    "CREATE INDEX recordings_place ON recordings (place)",
    `CREATE VIRTUAL TABLE recording_search USING fts5(words, content='', contentless_delete=1, detail=none,
      prefix='1 2 3 4 5 6 7 8', tokenize="ascii tokenchars ':;'")`,
    // Changes that the text index has not taken in yet; a row without words is a removal. The triggers do not write to the index, because
    // each statement of a transaction would have it write all that it has.
    "CREATE TABLE recording_search_changes (sequence INTEGER PRIMARY KEY, place INTEGER NOT NULL, words TEXT)",
    `CREATE TRIGGER recordings_found AFTER INSERT ON recordings BEGIN
      INSERT INTO recording_search_changes (place, words) VALUES (new.place, new.search || new.spoken); END`,
    `CREATE TRIGGER recordings_found_again AFTER UPDATE OF search, spoken, created_at ON recordings
      WHEN old.search <> new.search OR old.spoken <> new.spoken OR old.place <> new.place BEGIN
      INSERT INTO recording_search_changes (place, words) VALUES (old.place, NULL), (new.place, new.search || new.spoken); END`,
    `CREATE TRIGGER recordings_gone AFTER DELETE ON recordings BEGIN
      INSERT INTO recording_search_changes (place, words) VALUES (old.place, NULL); END`
  ]
}

export const sqliteDialect: Dialect = {
  name: "sqlite",
  integer: "INTEGER",
  integerKey: "INTEGER PRIMARY KEY",
  sequenceKey: "INTEGER PRIMARY KEY AUTOINCREMENT",
  clustered: " WITHOUT ROWID",
  unlogged: "",
  shard: { column: "", key: "" },
  ownTables: [],
  jsonText: (column, key) => `(${column} ->> '${key}')`,
  searchIndex: sqliteSearchIndex,
  // Transactions run one after another.
  commits: {
    advance: "UPDATE recording_sync SET base = base + 1 WHERE id = 1",
    mark: "(SELECT base FROM recording_sync WHERE id = 1)",
    horizon: "base + 1",
    identity: "'sqlite'"
  },
  forUpdate: "",
  skippingLocked: "",
  fillFactor: () => [],
  definition: (statement) => statement,
  json: {
    parse: (column) => column,
    array: (...values) => `json_array(${values.join(", ")})`,
    arrayOf: (value, order) => `json_group_array(${value} ORDER BY ${order})`,
    elements: (array) => `json_each(${array})`
  }
}
