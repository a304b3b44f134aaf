import type { Parameter } from "./Query.ts"

/**
 * What follows `IN`, with its values. Of few lengths, since a statement is kept prepared by its text: the last value fills up
 * to the next power of two.
 */
export const listed = <Value extends Parameter>(
  values: ReadonlyArray<Value>
): { readonly marks: string; readonly values: ReadonlyArray<Value> } => {
  const length = 2 ** Math.ceil(Math.log2(values.length))
  return {
    marks: `(${Array.from({ length }, () => "?").join(", ")})`,
    values: [...values, ...Array.from({ length: length - values.length }, () => values.at(-1)!)]
  }
}
