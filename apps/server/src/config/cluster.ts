import { Redacted, Result } from "effect"
import { optional, secretFile, setting } from "./setting.ts"
import { oneOf, type Parse, wholeNumber } from "./values.ts"

/** The failure does not show what was written: there may be a password in it. */
const postgresUrl: Parse<Redacted.Redacted> = (written) => {
  const isOne = URL.canParse(written) && /^postgres(ql)?:$/.test(new URL(written).protocol)
  return isOne
    ? Result.succeed(Redacted.make(written))
    : Result.fail("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE")
}

/** What lets several processes be one server. */
export const cluster = {
  database_url: optional({
    value: "postgres://…",
    says: "a PostgreSQL database for everything, shared by all processes; over TLS unless on this machine or by sslmode",
    parse: postgresUrl,
    initially: "none",
    secret: true
  }),
  database_url_file: secretFile("a file with its address"),
  database_connections: setting({
    value: "N",
    says: "how many connections to it a process has at most",
    parse: wholeNumber(2, 1_000),
    initial: 10
  }),
  role: setting({
    value: "all|api|dispatcher",
    says: "whether this process answers requests, makes deliveries, or both",
    parse: oneOf("all", "api", "dispatcher"),
    initial: "all" as const
  })
}

type Cluster = { readonly [Name in keyof typeof cluster]: (typeof cluster)[Name]["initial"] }

/** What is wrong with settings together, each line naming its variables. */
export const clusterProblems = ({ database_url, role, store }: Cluster & { readonly store: string }) => [
  ...(database_url !== undefined && store === "memory"
    ? ["TAPEDECK_DATABASE_URL: TAPEDECK_STORE=memory keeps everything in memory: set one of them"]
    : []),
  ...(database_url === undefined && role !== "all"
    ? [`TAPEDECK_ROLE: ${role} is one of several processes, which need TAPEDECK_DATABASE_URL`]
    : [])
]
