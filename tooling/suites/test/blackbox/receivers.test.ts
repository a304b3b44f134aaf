import { runSuites } from "../../src/blackbox/targets.ts"

await runSuites("receivers")
