import { optionOf, variableOf } from "../config/setting.ts"
import { type SettingName, settingNames, settings } from "../config/settings.ts"
import { commands, type Following, type OwnOption, ownOptions } from "./commandLine.ts"

/** Exit codes. A stop by a signal is not a failure. */
export const exitCodes = {
  stopped: 0,
  fault: 1,
  usage: 2,
  fixtures: 3,
  listen: 4,
  data: 5,
  key: 6,
  audit: 7,
  doctor: 8
} as const

const rows = (lines: ReadonlyArray<readonly [name: string, text: string]>): string => {
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join("\n")
}

const settingRow = (name: SettingName): readonly [string, string] => {
  const { description, initial, initially, secret, value } = settings[name]
  const initialText = initially ?? String(initial)
  return [secret === true ? variableOf(name) : `--${optionOf(name)} ${value}`, `${description} (${initialText})`]
}

interface Help {
  /** The command lines, without the program's name. */
  readonly lines: ReadonlyArray<string>
  /** Text of the help. It starts with the command, and tells whether the command works while the server runs. */
  readonly text: string
}

const helps: Readonly<Record<Following["command"], Help>> = {
  serve: {
    lines: ["serve [options]"],
    text: `serve runs the server. One server at a time may use a data directory; several may
share a PostgreSQL database. serve creates the data directory if necessary, as
account create does.`
  },
  "key rotate": {
    lines: ["key rotate [--data DIR]"],
    text: `key rotate encrypts all secrets with a new key. Stop the server first (on
PostgreSQL, all nodes): key rotate refuses a database in use. The new key is
TAPEDECK_NEW_KEY or TAPEDECK_NEW_KEY_FILE if the current key is set in the
environment (always with PostgreSQL), else a new file in the data directory.`
  },
  "account create": {
    lines: ["account create NAME [--api-access on|off] [--json] [--data DIR]"],
    text: `account create creates an account. It works while the server runs.`
  },
  "account list": {
    lines: ["account list [--json] [--data DIR]"],
    text: `account list prints all accounts. It works while the server runs.`
  },
  "account set": {
    lines: ["account set ID --api-access on|off [--json] [--data DIR]"],
    text: `account set enables or disables the API for an account's access tokens. It works
while the server runs.`
  },
  "admin create": {
    lines: ["admin create --account ID --email ADDRESS --name NAME [--json] [--data DIR]"],
    text: `admin create creates an admin of an account. It prints the admin's token and a link
to set a password, which are shown only once. It works while the server runs.`
  },
  "admin link": {
    lines: ["admin link EMAIL [--json] [--data DIR]"],
    text: `admin link prints a link that signs in a user of any account without a password. The
link opens a page with a button, and is valid once, for an hour. It works while the
server runs.`
  },
  migrate: {
    lines: ["migrate [--check] [--json] [--data DIR]", "migrate --from sqlite:DIR [--to postgres://…] [--json]"],
    text: `migrate upgrades the database in a data directory to this version, as a start does.
Stop the server first. With --check it only prints the version, and on PostgreSQL
whether an upgrade requires that all nodes are stopped; it works while the server
runs. With --from it copies a data directory into an empty PostgreSQL database (--to or
TAPEDECK_DATABASE_URL), and its videos into the bucket of TAPEDECK_FILES, and
verifies counts and checksums. Stop the server first.`
  },
  config: {
    lines: ["config [--json] [options of serve]"],
    text: `config prints the settings in force, and the source of each. It reads the files that
settings name, but no data. It works while the server runs.`
  },
  backup: {
    lines: ["backup DIR [--with-key] [--json] [--data DIR]"],
    text: `backup copies the database, consistent at one moment, and all its files to a new
directory. It works while the server runs. Back up PostgreSQL with pg_dump.`
  },
  restore: {
    lines: ["restore DIR [--json] [--data NEW]"],
    text: `restore creates a data directory from a backup, and verifies every checksum. It
refuses a directory with data, so it never changes one that a server uses.`
  },
  doctor: {
    lines: ["doctor [--deep] [--json] [--data DIR]"],
    text: `doctor checks the database, the files (their content with --deep), the key, the
disk and the clock. It changes nothing, and works while the server runs.`
  },
  "doctor deliveries": {
    lines: ["doctor deliveries [--json] [--data DIR]"],
    text: `doctor deliveries checks the deliveries only. It changes nothing, and works while
the server runs.`
  },
  "audit verify": {
    lines: ["audit verify [--account ID] [--head SEQ:HASH] [--audit-heads FILE] [--json] [--data DIR]"],
    text: `audit verify verifies the chains that link the audit entries, and names each entry
that was changed, removed, inserted or moved. It prints the head of each chain. With
that head as --head, a later run also detects that entries were removed from the
end, or that all were linked again. It works while the server runs.`
  }
}

const optionRows: Readonly<Record<OwnOption, readonly [string, string]>> = {
  fixtures: ["--fixtures FILE", "a start document, YAML or JSON, for a new data directory"],
  demo: ["--demo", "the demo's start document, for a new data directory"],
  account: ["--account ID", "the number of the account"],
  head: ["--head SEQ:HASH", "the head of the account's chain, as an earlier run printed it"],
  json: ["--json", "print one line of JSON, for programs"],
  config: ["--config FILE", "a YAML or JSON file of settings, instead of TAPEDECK_CONFIG"],
  "with-key": ["--with-key", "whether the backup contains the key"],
  deep: ["--deep", "whether to read the content of all files"],
  check: ["--check", "whether to print the version only"],
  from: ["--from sqlite:DIR", "the data directory to copy"],
  to: ["--to postgres://…", "the PostgreSQL database to copy to (TAPEDECK_DATABASE_URL)"],
  "api-access": ["--api-access on|off", "whether access tokens of the account may call the API"],
  email: ["--email ADDRESS", "the admin's e-mail address"],
  name: ["--name NAME", "the admin's name"],
  help: ["--help, -h", "print this help"],
  version: ["--version", "print the version"]
}

const synopsis = (names: ReadonlyArray<string>): string => {
  const lines = names.flatMap((name) => helps[name as Following["command"]].lines)
  return `Usage: ${lines.map((line) => `tapedeck ${line}`).join("\n       ")}`
}

const settingsText = `Settings of serve. Each is also an environment variable: TAPEDECK_ and the
option's name in capitals, as TAPEDECK_PAGE_SIZE. Options take precedence.
--config FILE or TAPEDECK_CONFIG names a YAML or JSON file of settings
(page_size: 50), with the lowest precedence. tapedeck config prints the settings
in force.

${rows(settingNames.map(settingRow))}`

const processText = `The key encrypts tokens and secrets. It is set in the environment only:
  TAPEDECK_KEY       32 bytes in base64 or hex
  TAPEDECK_KEY_FILE  a file that contains them
Without either, it is the file "key" in the data directory, created at the first
start. The key decrypts every secret in the database, and cannot be recovered:
keep a copy.

Standard output contains a banner or, with --json, one line when the server
listens. The log goes to standard error: readable lines on a terminal, else one
JSON object per line.

SIGINT or SIGTERM stops the server: requests and attempts in flight end first. A
second signal ends it at once.`

const exitText = `Exit codes:
  0  stopped by a signal, or success
  1  unexpected error
  2  invalid options or variables
  3  unreadable or invalid fixtures
  4  cannot listen at the address
  5  unusable data directory or backup: not writable, full, in use,
     newer, or damaged; with migrate --check, older
  6  key is missing, readable by other users, or not that of the database
  7  audit verify found a change of the audit log
  8  doctor found a fault
  130, 143  ended by a second SIGINT or SIGTERM
`

const textOf = (name: string): string => helps[name as Following["command"]].text

export const usage = [
  "tapedeck: screen and video recordings with a REST API and signed webhooks",
  synopsis(Object.keys(helps)),
  "tapedeck COMMAND --help prints the help of one command.",
  settingsText,
  `Other options:\n\n${rows(Object.values(optionRows))}`,
  processText,
  ...Object.keys(helps).map(textOf),
  exitText
].join("\n\n")

/** Returns the help of a command, or of all commands that start with `of`, such as `account`. */
export const usageOf = (of: string): string => {
  if (of === "") return usage
  const names = Object.keys(helps).filter((name) => name === of || name.startsWith(`${of} `))
  const taken = new Set([...names.flatMap((name) => commands[name] ?? []), "config", "help"])
  const options = ownOptions.filter((name) => taken.has(name)).map((name) => optionRows[name])
  const intro = [synopsis(names), ...names.map(textOf)]
  if (taken.has("port")) {
    return [...intro, settingsText, `Other options:\n\n${rows(options)}`, processText, exitText].join("\n\n")
  }
  const ofSettings = settingNames.filter((name) => taken.has(optionOf(name))).map(settingRow)
  const more =
    "Other settings come from variables and the file of --config: tapedeck --help lists\nthem, and the exit codes."
  return `${[...intro, `Options:\n\n${rows([...ofSettings, ...options])}`, more].join("\n\n")}\n`
}
