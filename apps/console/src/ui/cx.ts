/** Joins class names, without empty ones. */
export const cx = (...names: ReadonlyArray<string | false | null | undefined>): string =>
  names.filter((name) => typeof name === "string" && name !== "").join(" ")
