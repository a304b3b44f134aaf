import { parseArgs } from "node:util"

/** An option of a command. A number is a whole one. */
export type CommandOption = { readonly about: string } & (
  | { readonly is: "flag" }
  | { readonly is: "number"; readonly min?: number; readonly default?: number }
  | { readonly is: "name"; readonly of: ReadonlyArray<string>; readonly default: string }
  | { readonly is: "names"; readonly of: ReadonlyArray<string> }
)

type Value<Option extends CommandOption> = Option extends { readonly is: "flag" }
  ? boolean
  : Option extends { readonly is: "number" }
    ? Option extends { readonly default: number }
      ? number
      : number | undefined
    : Option extends { readonly of: ReadonlyArray<infer Name> }
      ? Option extends { readonly is: "names" }
        ? ReadonlyArray<Name>
        : Name
      : never

/** The option of all commands that choose at random: the same seed chooses the same. */
export const seedOption = () =>
  ({
    is: "number",
    about: "seed of the random parts; a random one by default",
    default: Math.floor(Math.random() * 1_000_000_000)
  }) as const

const kindOf: Readonly<Record<CommandOption["is"], string>> = { flag: "", number: " N", name: " NAME", names: " NAME" }

const describe = (option: CommandOption, name: string): string => {
  if (option.is === "name") return `${option.about}: ${option.of.join(", ")}. Default: ${option.default}`
  if (option.is === "names") return `${option.about}: ${option.of.join(", ")}; can be repeated. All by default`
  const isShown = option.is === "number" && option.default !== undefined && name !== "seed"
  return isShown ? `${option.about}. Default: ${option.default}` : option.about
}

const usageOf = (command: string, options: Readonly<Record<string, CommandOption>>): string => {
  const lines = Object.entries(options).map(([name, option]) => ({
    left: `--${name}${kindOf[option.is]}`,
    right: describe(option, name)
  }))
  lines.push({ left: "--help", right: "this text" })
  const width = Math.max(...lines.map(({ left }) => left.length))
  return `npx pnpm -s ${command} [options]\n\n${lines.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`).join("\n")}`
}

/** Returns what is wrong with the given texts of an option; undefined if nothing is. */
const problemOf = (name: string, option: CommandOption, given: ReadonlyArray<string>): string | undefined => {
  if (option.is === "number") {
    const min = option.min ?? 0
    const wrong = given.find((text) => !/^\d{1,15}$/.test(text) || Number(text) < min)
    return wrong === undefined ? undefined : `--${name} must be a whole number of at least ${min}, not ${wrong}`
  }
  if (option.is === "flag") return undefined
  const wrong = given.filter((text) => !option.of.includes(text))
  return wrong.length === 0 ? undefined : `--${name}: ${wrong.join(", ")} is unknown`
}

const valueOf = (option: CommandOption, given: ReadonlyArray<string>, isSet: boolean) => {
  switch (option.is) {
    case "flag":
      return isSet
    case "names":
      return given.length > 0 ? given : option.of
    case "number":
      return given.length > 0 ? Number(given.at(-1)) : option.default
    case "name":
      return given.at(-1) ?? option.default
  }
}

/** The values of a command's options, by name. */
export type CommandValues<Options extends Readonly<Record<string, CommandOption>>> = {
  readonly [Name in keyof Options]: Value<Options[Name]>
}

type Given = Readonly<Record<string, boolean | ReadonlyArray<string> | undefined>>

/** Reads options from arguments. A `problem` names an option that is unknown or has a wrong value. */
export const readCommandOptions = <const Options extends Readonly<Record<string, CommandOption>>>(
  options: Options,
  args: ReadonlyArray<string>
): { readonly values: CommandValues<Options> } | { readonly problem: string } | { readonly isHelp: true } => {
  const read = (): Given | string => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          ...Object.fromEntries(
            Object.entries(options).map(([name, { is }]) => [
              name,
              is === "flag" ? ({ type: "boolean" } as const) : ({ type: "string", multiple: true } as const)
            ])
          ),
          help: { type: "boolean" }
        }
      }).values as Given
    } catch (cause) {
      return (cause as Error).message
    }
  }
  const given = read()
  if (typeof given === "string") return { problem: given }
  if (given["help"] === true) return { isHelp: true }
  const textsOf = (name: string) => (Array.isArray(given[name]) ? (given[name] as ReadonlyArray<string>) : [])
  const problems = Object.entries(options).flatMap(([name, option]) => problemOf(name, option, textsOf(name)) ?? [])
  if (problems[0] !== undefined) return { problem: problems[0] }
  const values = Object.entries(options).map(([name, option]) => [
    name,
    valueOf(option, textsOf(name), given[name] === true)
  ])
  return { values: Object.fromEntries(values) as CommandValues<Options> }
}

/** Reads the options of this process. `--help` prints the usage and ends the process; a problem ends it with exit code 2. */
export const commandOptions = <const Options extends Readonly<Record<string, CommandOption>>>(
  command: string,
  options: Options
): CommandValues<Options> => {
  const read = readCommandOptions(options, process.argv.slice(2))
  if ("values" in read) return read.values
  const usage = usageOf(command, options)
  if ("isHelp" in read) {
    console.log(usage)
    process.exit(0)
  }
  console.error(`${read.problem}\n\n${usage}`)
  process.exit(2)
}
