import { type Parse, text } from "./values.ts"

/** A setting of the server. */
export interface Setting<A> {
  /** The placeholder of its value in the help. */
  readonly value: string
  readonly description: string
  /** Further sentences, as Markdown, for the table in docs/server.md. */
  readonly details?: string
  readonly parse: Parse<A>
  readonly initial: A
  /** The initial value as text, if the value itself is not clear. */
  readonly initially?: string
  /**
   * A secret is no option, because other users see options in a list of processes. A setting of the same name with the suffix
   * `_file` names a file that contains it.
   */
  readonly secret?: true
}

export const setting = <A>(definition: Setting<A>): Setting<A> => definition
export const optional = <A>(
  definition: Omit<Setting<A | undefined>, "initial" | "parse"> & { readonly parse: Parse<A> }
) => setting<A | undefined>({ ...definition, initial: undefined })

export const variableOf = (name: string): string => `TAPEDECK_${name.toUpperCase()}`

export const optionOf = (name: string): string => name.replaceAll("_", "-")

/** An error of settings. `names` are those that the message begins with, each by the place where it was set. */
export interface Problem<Name extends string> {
  readonly names: ReadonlyArray<Name>
  readonly text: string
  /** Other settings on which it depends. If one of all these is invalid by itself, that is the error. */
  readonly dependsOn?: ReadonlyArray<Name>
}

/** Both or neither of two settings has to be set. */
export const bothOrNeither = <Name extends string>(
  config: { readonly [Each in Name]: unknown },
  ...names: readonly [Name, Name]
): ReadonlyArray<Problem<Name>> => {
  const [one, other] = names.map((name) => config[name] !== undefined)
  return one === other ? [] : [{ names, text: "set both, or neither" }]
}

/** The file that contains a secret, as orchestrators mount them. */
export const secretFile = (description: string) =>
  optional({ value: "FILE", description, parse: text, initially: "none" })
