/** A command that does one thing and ends. */
interface Definition {
  /** Name of the operand, if the command takes one. */
  readonly operand?: string
  /** Required options of the command. */
  readonly required?: ReadonlyArray<string>
  /** Options of the command besides `--data` and `--config`. */
  readonly options: ReadonlyArray<string>
  /** True if the command takes the options of all settings. */
  readonly takesSettings?: true
}

export const operatorCommands = {
  config: { options: ["json"], takesSettings: true },
  backup: { operand: "DIR", options: ["with-key", "json"] },
  restore: { operand: "DIR", options: ["json"] },
  doctor: { options: ["deep", "json"] },
  "doctor deliveries": { options: ["json"] },
  "account create": { operand: "NAME", options: ["api-access", "json"] },
  "account list": { options: ["json"] },
  "account set": { operand: "ID", options: ["api-access", "json"] },
  "admin create": { required: ["account", "email", "name"], options: ["account", "email", "name", "json"] },
  "admin link": { operand: "EMAIL", options: ["json"] },
  migrate: { options: ["check", "from", "to", "json"] }
} as const satisfies Readonly<Record<string, Definition>> as Readonly<Record<OperatorCommand, Definition>>

export type OperatorCommand =
  | "config"
  | "backup"
  | "restore"
  | "doctor"
  | "doctor deliveries"
  | "account create"
  | "account list"
  | "account set"
  | "admin create"
  | "admin link"
  | "migrate"

export const isOperatorCommand = (command: string): command is OperatorCommand =>
  Object.hasOwn(operatorCommands, command)
