import { type Parse, text } from "./values.ts"

/** A setting of the server. */
export interface Setting<A> {
  /** The placeholder of its value in the help. */
  readonly value: string
  readonly description: string
  readonly parse: Parse<A>
  readonly initial: A
  /** The initial value as text, if the value itself is not clear. */
  readonly initially?: string
  /**
   * Not an option, because other users see options in a list of processes. A setting of the same name with the suffix `_file`
   * names a file that contains it.
   */
  readonly secret?: true
}

export const setting = <A>(definition: Setting<A>): Setting<A> => definition
export const optional = <A>(
  definition: Omit<Setting<A | undefined>, "initial" | "parse"> & { readonly parse: Parse<A> }
) => setting<A | undefined>({ ...definition, initial: undefined })

/** The file that contains a secret, as orchestrators mount them. */
export const secretFile = (description: string) =>
  optional({ value: "FILE", description, parse: text, initially: "none" })
