import { dieInTransaction } from "@tapedeck/testkit"
import { Effect } from "effect"
import { openSqlite } from "../sqlite.ts"

/** Until it is killed: see `killMidway`. */
await Effect.runPromise(Effect.scoped(Effect.flatMap(openSqlite(process.argv[2]!), dieInTransaction)))
