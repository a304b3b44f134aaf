/** `npx pnpm -s bench NAME [--json]` */
import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { runBench } from "./runner.ts"

installOnDemand(join(import.meta.dirname, "../ondemand"))

process.exitCode = await runBench(process.argv.slice(2), {
  benches: join(import.meta.dirname, "benches"),
  results: join(import.meta.dirname, "../results"),
  print: (line) => console.log(line),
  complain: (line) => console.error(line)
})
