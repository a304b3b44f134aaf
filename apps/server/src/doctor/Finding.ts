/** What a check has found: `fault` is to be mended, `note` is to be known, `ok` says what was looked at. */
export interface Finding {
  readonly level: "ok" | "note" | "fault"
  readonly check: string
  readonly text: string
}

export const ok = (check: string, text: string): Finding => ({ level: "ok", check, text })
export const note = (check: string, text: string): Finding => ({ level: "note", check, text })
export const fault = (check: string, text: string): Finding => ({ level: "fault", check, text })

/** Of one check at most; how many more there are is said. */
const mostFaults = 20

/** A line for each fault, or one that says that there is none. */
export const findingsOf = (check: string, faults: ReadonlyArray<string>, fine: string): ReadonlyArray<Finding> => {
  if (faults.length === 0) return [ok(check, fine)]
  const shown = faults.slice(0, mostFaults).map((text) => fault(check, text))
  return faults.length > mostFaults ? [...shown, fault(check, `and ${faults.length - mostFaults} more`)] : shown
}
