/** `npx pnpm -s bench NAME [--json]` */
import { join } from "node:path"
import { runBench } from "./runner.ts"

process.exitCode = await runBench(process.argv.slice(2), {
  benches: join(import.meta.dirname, "benches"),
  results: join(import.meta.dirname, "../results"),
  print: (line) => console.log(line),
  complain: (line) => console.error(line)
})
