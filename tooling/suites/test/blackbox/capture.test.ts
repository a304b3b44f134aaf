// Takes long: starts first.
import { runSuites } from "../../src/blackbox/targets.ts"

await runSuites("capture")
