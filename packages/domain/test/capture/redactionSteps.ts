/**
 * A thread that counts the steps of redaction. V8 counts blocks only in code that it compiles after the meter began, and its cache of
 * compiled code is that of a thread: another test of this process may have loaded the same modules.
 */
import { parentPort } from "node:worker_threads"
import { StepMeter } from "./StepMeter.ts"

/** Texts that are redacted together. */
export type Texts = ReadonlyArray<string>

const meter = new StepMeter("/capture/redact/")
// Alone: V8 tells the steps of every file that the thread has loaded.
const { makeRedactor } = await import("../../src/capture/redact/redactor.ts")
const { noSiteRedaction } = await import("../../src/capture/redact/rules.ts")

const redact = (text: string) =>
  makeRedactor({ ...noSiteRedaction, query_parameters: ["ref"], customerEmail: "a@b.co" }).text(text)

// What ran while they were loaded.
meter.stepsOf(() => {})

parentPort!.on("message", (texts: Texts) => parentPort!.postMessage(meter.stepsOf(() => texts.forEach(redact))))
