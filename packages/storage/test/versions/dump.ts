import { DatabaseSync } from "node:sqlite"

const quoted = (value: unknown): string => {
  if (value === null) return "NULL"
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** The tables and indexes of a database, as the statements that made them. */
export const schemaOf = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all()
  database.close()
  return rows.map(({ sql }) => String(sql).replace(/\s+/g, " "))
}

/** A database as the statements that make it anew, a line each. */
export const dumpOf = (file: string): string => {
  const database = new DatabaseSync(file, { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  const inserts = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map(
        (row) =>
          `INSERT INTO ${name} (${Object.keys(row).join(", ")}) VALUES (${Object.values(row).map(quoted).join(", ")})`
      )
  )
  database.close()
  return `${[...schemaOf(file), ...inserts].join(";\n")};\n`
}
