import { Effect } from "effect"
import { dieInTransaction } from "../../../src/conformance/persistent.ts"
import { openSqlite } from "../sqlite.ts"

/** Until it is killed: see `killMidway`. */
await Effect.runPromise(Effect.scoped(Effect.flatMap(openSqlite(process.argv[2]!), dieInTransaction)))
