export const targets = ["sqlite", "postgres", "emulator"] as const
/** The server on one of its stores, or the emulator. */
export type TargetName = (typeof targets)[number]

export const servers: ReadonlyArray<TargetName> = ["sqlite", "postgres"]
export const everywhere: ReadonlyArray<TargetName> = [...servers, "emulator"]

/** `full` is what was observed to stop the process; `short` proves the limit, in a second or so. */
export type Size = "short" | "full"
