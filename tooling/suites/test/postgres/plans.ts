import { Client } from "pg"

/** A step of how PostgreSQL means to answer a statement; whatever else it tells of it is in other fields. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly Plans?: ReadonlyArray<PlanNode>
}

const nodesOf = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The plans of statements under a connection's settings, for whatever parameters. */
export const plansOf = async (
  url: string,
  settings: Readonly<Record<string, string>>,
  statements: Iterable<string>
): Promise<ReadonlyMap<string, ReadonlyArray<PlanNode>>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  const plans = new Map<string, ReadonlyArray<PlanNode>>()
  try {
    for (const [name, value] of Object.entries(settings))
      await client.query("SELECT set_config($1, $2, false)", [name, value])
    await client.query("SET plan_cache_mode = force_generic_plan")
    for (const statement of statements) {
      await client.query(`PREPARE one AS ${statement}`)
      const { rows: types } = await client.query(
        "SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'one'"
      )
      const nulls = Array(types[0].count).fill("NULL").join(", ")
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE one${nulls && `(${nulls})`}`)
      plans.set(statement, nodesOf(rows[0]["QUERY PLAN"][0].Plan))
      await client.query("DEALLOCATE one")
    }
  } finally {
    await client.end()
  }
  return plans
}

/** What is given to a step from outside is named otherwise by each version. */
const withoutNumbers = (filter: string) => filter.replace(/\(InitPlan \d+\)\.col1|\$\d+/g, "$$")

/** What a statement has to pass over: a table, an index from its beginning on, rows that are not asked for. */
export const walksOf = (nodes: ReadonlyArray<PlanNode>): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const { Filter: filter, "Index Cond": condition, "Index Name": index, "Node Type": type } = node
    if (type === "Seq Scan") return [`${node["Relation Name"]}`]
    if (index !== undefined && condition === undefined) return [index]
    return index !== undefined && filter !== undefined ? [`${index}, for ${withoutNumbers(filter)}`] : []
  })
