import { optionOf, type SettingName, settingNames, settings, variableOf } from "../config/settings.ts"

/** What the command ends with. Asked to stop, it did what it was told: that is no failure. */
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

const rows = (lines: ReadonlyArray<readonly [name: string, says: string]>): string => {
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, says]) => `  ${name.padEnd(width)}  ${says}`).join("\n")
}

const settingRow = (name: SettingName): readonly [string, string] => {
  const { initial, initially, says, secret, value } = settings[name]
  const initialText = initially ?? String(initial)
  return [secret === true ? variableOf(name) : `--${optionOf(name)} ${value}`, `${says} (${initialText})`]
}

export const usage = `tapedeck: record, list, download, and tell others by webhook

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

Settings of serve. Each is an environment variable too, whose name is the
option's in capitals after TAPEDECK_, as in TAPEDECK_PAGE_SIZE; the option wins.
--config FILE, or TAPEDECK_CONFIG, names a file of settings, YAML or JSON, by the
same names (page_size: 50), which count less. tapedeck config says what is in force.

${rows(settingNames.map(settingRow))}

What serve starts with, where the data directory is new:
  --fixtures FILE  a start document, YAML or JSON: what the store holds
  --demo           a start document of our own, with something to look at

What it prints:
  --json           one line of JSON once it listens, instead of a greeting
  --help, --version

The key, by which tokens and secrets are kept, comes from the environment alone:
  TAPEDECK_KEY       32 bytes in base64 or hex
  TAPEDECK_KEY_FILE  a file that holds them
Without either it is the file "key" in the data directory, made at the first start.
Whoever has it can read the database's secrets; without it nobody can: keep a copy.

key rotate, while the server is stopped, takes a new key and keeps every secret by
it: TAPEDECK_NEW_KEY or TAPEDECK_NEW_KEY_FILE where the present one comes from the
environment, as with PostgreSQL it has to, a new file in the data directory where it
is there.

account and admin, while the server is stopped, make accounts and the first admin of
one, whose token is told once; on a new data directory too. migrate, likewise, brings
a database to this version as a start does; with --check it only says what it is.
With --from it moves a data directory into an empty PostgreSQL database, that of --to
or of TAPEDECK_DATABASE_URL, and its videos into the bucket of TAPEDECK_FILES, and
reads all of it again: counts and checksums have to agree.

backup, whether the server runs or not, copies the database as it is at one moment,
and every file that it names, to a directory that is not there yet. restore makes a
data directory of it, new or empty, once every checksum is right.

doctor, whether the server runs or not, looks through the database, the files (with
--deep byte by byte), the key, the disk and the clock, and changes nothing.

audit verify, whether the server runs or not, goes through the chains that audit
entries are linked into and names each that was changed, taken out, put in or moved.
It prints the head of each chain: given as --head to a later run, it also shows
whether entries were cut off at the end, or all were linked anew.

The greeting or the line of --json go to standard output, the log to standard
error: lines to read on a terminal, elsewhere one JSON object a line.

SIGINT or SIGTERM stops it: what is under way ends first. A second one ends it at once.

Exit codes:
  0  it was stopped by a signal, or did what it was told
  1  a fault of Tapedeck's own
  2  options or variables that cannot be followed
  3  fixtures that cannot be read, or have errors
  4  it cannot listen at that address
  5  a data directory or backup that it cannot use: not writable, full, in use,
     newer, or damaged; with migrate --check, older
  6  a key that is missing, readable by others, or not the database's
  7  audit verify found that the audit log was tampered with
  8  doctor found something to be mended
  130, 143  ended at once, by a second SIGINT or SIGTERM
`
