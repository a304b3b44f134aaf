/** How a database reads the JSON texts that rows have. Of what `json` gives, both know `->` (JSON) and `->>` (a value). */
export interface JsonWords {
  readonly json: (column: string) => string
  readonly array: (...values: ReadonlyArray<string>) => string
  /** An aggregate: the values as one JSON text. */
  readonly arrayOf: (value: string, order: string) => string
}

export const sqliteJson: JsonWords = {
  json: (column) => column,
  array: (...values) => `json_array(${values.join(", ")})`,
  arrayOf: (value, order) => `json_group_array(${value} ORDER BY ${order})`
}

export const postgresJson: JsonWords = {
  json: (column) => `${column}::json`,
  array: (...values) => `json_build_array(${values.join(", ")})`,
  arrayOf: (value, order) => `coalesce(json_agg(${value} ORDER BY ${order}), '[]')::text`
}
