/** A result of a check: `fault` needs a repair, `note` is information, `ok` names what was checked. */
export interface Finding {
  readonly level: "ok" | "note" | "fault"
  readonly check: string
  readonly text: string
}

export const ok = (check: string, text: string): Finding => ({ level: "ok", check, text })
export const note = (check: string, text: string): Finding => ({ level: "note", check, text })
export const fault = (check: string, text: string): Finding => ({ level: "fault", check, text })

/** Maximum number of faults that are listed of one check; a last line counts the rest. */
const maxFaults = 20

/** One finding for each fault, or one `ok`. */
export const findingsOf = (check: string, faults: ReadonlyArray<string>, fine: string): ReadonlyArray<Finding> => {
  if (faults.length === 0) return [ok(check, fine)]
  const shown = faults.slice(0, maxFaults).map((text) => fault(check, text))
  return faults.length > maxFaults ? [...shown, fault(check, `and ${faults.length - maxFaults} more`)] : shown
}
