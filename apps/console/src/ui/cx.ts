/** Class names, without those that are left out. */
export const cx = (...names: ReadonlyArray<string | false | null | undefined>): string =>
  names.filter((name) => typeof name === "string" && name !== "").join(" ")
