/** `pnpm check`: types, lint, format, unused code, and our own rules. Exits 1 if any of them finds something. */
import { runSteps } from "./steps.ts"

const outcomes = await runSteps()
const failed = outcomes.filter(({ passed }) => !passed).length
console.log(`${outcomes.length - failed} checks passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
