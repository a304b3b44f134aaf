import { optionOf, type SettingName, settingNames, settings, variableOf } from "../config/settings.ts"

/** Exit codes. A stop by a signal is no failure. */
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

export const usage = `tapedeck: screen and video recordings with a REST API and signed webhooks

Usage: tapedeck serve [options]
       tapedeck key rotate [--data DIR]
       tapedeck account create NAME [--api-access on|off] [--json] [--data DIR]
       tapedeck account list [--json] [--data DIR]
       tapedeck account set ID --api-access on|off [--json] [--data DIR]
       tapedeck admin create --account ID --email ADDRESS --name NAME [--data DIR]
       tapedeck migrate [--check] [--json] [--data DIR]
       tapedeck migrate --from sqlite:DIR [--to postgres://…] [--json]
       tapedeck config [--json] [options of serve]
       tapedeck backup DIR [--with-key] [--json] [--data DIR]
       tapedeck restore DIR [--json] [--data NEW]
       tapedeck doctor [--deep] [--json] [--data DIR]
       tapedeck doctor deliveries [--json] [--data DIR]
       tapedeck audit verify [--account ID] [--head SEQ:HASH] [--audit-heads FILE] [--json] [--data DIR]

Settings of serve. Each is also an environment variable: TAPEDECK_ and the
option's name in capitals, as TAPEDECK_PAGE_SIZE. Options take precedence.
--config FILE or TAPEDECK_CONFIG names a YAML or JSON file of settings
(page_size: 50), with the lowest precedence. tapedeck config prints the settings
in force.

${rows(settingNames.map(settingRow))}

Start data, loaded into a new data directory:
  --fixtures FILE  a start document, YAML or JSON
  --demo           the demo's start document

Output:
  --json           one line of JSON once it listens, instead of a banner
  --help, --version

The key encrypts tokens and secrets. It is set in the environment only:
  TAPEDECK_KEY       32 bytes in base64 or hex
  TAPEDECK_KEY_FILE  a file that contains them
Without either, it is the file "key" in the data directory, created at the first
start. The key decrypts every secret in the database, and cannot be recovered:
keep a copy.

key rotate encrypts all secrets with a new key. Stop the server first. The new key
is TAPEDECK_NEW_KEY or TAPEDECK_NEW_KEY_FILE if the present key is set in the
environment (always with PostgreSQL), else a new file in the data directory.

account create and admin create make accounts and their first admins. Only serve
and account create make a new data directory. An admin's token is shown only
once. migrate upgrades the database to this version, as a start does; with
--check it only prints the version, and on PostgreSQL whether all nodes have to
be stopped for an upgrade. With
--from it copies a data directory into an empty PostgreSQL database (--to or
TAPEDECK_DATABASE_URL), and its videos into the bucket of TAPEDECK_FILES, and
verifies counts and checksums. Stop the server first.

backup copies the database, consistent at one moment, and all its files to a new
directory, while a server may run. restore makes a new data directory from it, and
verifies every checksum.

doctor checks the database, the files (their content with --deep), the key, the
disk and the clock, while a server may run. It changes nothing.

audit verify verifies the chains that link the audit entries, while a server may
run, and names each entry that was changed, removed, inserted or moved. It prints
the head of each chain. Given as --head to a later run, a head also reveals that
entries were removed from the end, or that all were linked again.

Standard output contains the banner or the line of --json. The log goes to standard
error: readable lines on a terminal, else one JSON object a line.

SIGINT or SIGTERM stops the server: requests and attempts in flight end first. A
second signal ends it at once.

Exit codes:
  0  stopped by a signal, or success
  1  unexpected error
  2  invalid options or variables
  3  fixtures that cannot be read, or are invalid
  4  cannot listen at the address
  5  a data directory or backup that cannot be used: not writable, full, in use,
     newer, or damaged; with migrate --check, older
  6  a key that is missing, readable by other users, or not the database's
  7  audit verify found that the audit log was changed
  8  doctor found a fault
  130, 143  ended by a second SIGINT or SIGTERM
`
