import { type Parse, text } from "./values.ts"

/** One thing that an operator can set. */
export interface Setting<A> {
  /** What stands for its value in the help. */
  readonly value: string
  readonly says: string
  readonly parse: Parse<A>
  readonly initial: A
  /** Its initial value in words, where the value itself does not say it. */
  readonly initially?: string
  /**
   * It is no option: what is in it shall not be in a list of processes. A setting of the same name with `_file` at its end
   * names a file that holds it.
   */
  readonly secret?: true
}

export const setting = <A>(definition: Setting<A>): Setting<A> => definition
export const optional = <A>(
  definition: Omit<Setting<A | undefined>, "initial" | "parse"> & { readonly parse: Parse<A> }
) => setting<A | undefined>({ ...definition, initial: undefined })

/** The file that holds a secret, as orchestrators mount them. */
export const secretFile = (says: string) => optional({ value: "FILE", says, parse: text, initially: "none" })
