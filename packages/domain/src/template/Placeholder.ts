import type { TemplateFilter } from "./filters.ts"

/** The place of a value: inside a JSON string, or standing for a whole JSON value. */
export interface Placeholder<Variable extends string = string> {
  readonly variable: Variable
  readonly inString: boolean
  /** Changes the value's text before it is escaped for its place. */
  readonly filter?: TemplateFilter
}
