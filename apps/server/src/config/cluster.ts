import { Redacted, Result } from "effect"
import { optional, type Problem, secretFile, setting } from "./setting.ts"
import { oneOf, type Parse, wholeNumber } from "./values.ts"

/** The failure does not contain the value, because it may contain a password. */
const postgresUrl: Parse<Redacted.Redacted> = (written) => {
  const isOne = URL.canParse(written) && /^postgres(ql)?:$/.test(new URL(written).protocol)
  return isOne
    ? Result.succeed(Redacted.make(written))
    : Result.fail("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE")
}

/** Settings of several processes on one database. */
export const cluster = {
  database_url: optional({
    value: "postgres://…",
    description:
      "a PostgreSQL database, shared by all processes; with TLS unless the database is on this machine or sslmode disables it",
    details: "See [Many nodes](cluster.md).",
    parse: postgresUrl,
    initially: "none",
    secret: true
  }),
  database_url_file: secretFile("a file with its address"),
  database_connections: setting({
    value: "N",
    description: "maximum number of connections to the database from one process",
    parse: wholeNumber(2, 1_000),
    initial: 10
  }),
  role: setting({
    value: "all|api|dispatcher",
    description: "whether this process serves the API, makes deliveries, or both",
    parse: oneOf("all", "api", "dispatcher"),
    initial: "all" as const
  })
}

type Cluster = { readonly [Name in keyof typeof cluster]: (typeof cluster)[Name]["initial"] }

/** Errors of combinations of settings. */
export const clusterProblems = ({
  database_url,
  role,
  store
}: Cluster & { readonly store: string }): ReadonlyArray<Problem<keyof Cluster | "store">> => [
  ...(database_url !== undefined && store === "memory"
    ? [{ names: ["database_url", "store"] as const, text: "memory stores all data in memory: set one of them" }]
    : []),
  ...(database_url === undefined && role !== "all"
    ? [
        {
          names: ["role"] as const,
          text: `${role} is one of several processes, which need TAPEDECK_DATABASE_URL`,
          dependsOn: ["database_url"] as const
        }
      ]
    : [])
]
