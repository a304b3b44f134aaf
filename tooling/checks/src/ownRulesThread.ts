/** Checks the repository by our own rules in a thread: the other checks are processes, which the main thread starts meanwhile. */
import { parentPort } from "node:worker_threads"
import { checkRepository } from "./ownRules.ts"

parentPort?.postMessage(checkRepository())
