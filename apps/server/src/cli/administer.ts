import {
  Administration,
  type InputInvalid,
  type NotFound,
  type StateConflict,
  signInUseCases,
  useCases
} from "@tapedeck/core"
import { type Account, type Instant, toIso } from "@tapedeck/domain"
import { Cause, Effect, Exit, Layer } from "effect"
import { type Config, readConfig, type Written } from "../config/Config.ts"
import { type DataDirectory, existingDataDirectory, locate, openDataDirectory } from "../config/dataDirectory.ts"
import { findKey } from "../config/key/findKey.ts"
import { finishRotation } from "../config/key/finishRotation.ts"
import { administered, type Operation, type OperationName, type Result } from "../serve/operator/administration.ts"
import { sendToServer } from "../serve/operator/sendToServer.ts"
import { foundation } from "../serve/Program.ts"
import { type OperatorArguments, UsageError } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

type OptionValues = OperatorArguments["optionValues"]

/** `tapedeck account create NAME [--api-access on|off]` */
export const createAccount = (written: Written, { optionValues, operand }: OperatorArguments): Promise<number> => {
  const input = { name: operand, api_access: apiAccess(optionValues) ?? true }
  return administer(
    written,
    { operation: "create_account", input },
    (account) => say(optionValues, accountsView([account])),
    {
      name: "NAME"
    }
  )
}

/** `tapedeck account list` */
export const listAccounts = (written: Written, { optionValues }: OperatorArguments): Promise<number> =>
  administer(written, { operation: "list_accounts" }, (accounts) => say(optionValues, accountsView(accounts)))

/** `tapedeck account set ID --api-access on|off` */
export const setAccount = (written: Written, { optionValues, operand }: OperatorArguments): Promise<number> => {
  const id = accountId(operand, "ID")
  const wanted = apiAccess(optionValues)
  if (wanted === undefined) throw new UsageError("--api-access: must be on or off")
  return administer(written, { operation: "change_account", id, input: { api_access: wanted } }, (account) =>
    say(optionValues, accountsView([account]))
  )
}

/** `tapedeck admin create --account ID --email … --name …`: prints the link and the token, which are shown only once. */
export const createAdmin = (written: Written, { optionValues }: OperatorArguments): Promise<number> => {
  const id = accountId(optionValues.get("account") ?? "", "--account")
  const input = { email: optionValues.get("email"), name: optionValues.get("name") }
  return administer(written, { operation: "create_admin", id, input }, ({ link, token, user }) =>
    say(optionValues, {
      json: {
        id: user.id,
        account_id: user.accountId,
        email: user.email,
        name: user.name,
        token,
        link: link && linkJson(link)
      },
      text:
        `${user.email} is an admin of account ${user.accountId}. The token, which is shown only once:\n${token}\n` +
        (link === null ? "" : `Link to set a password, valid once, until ${toIso(link.expiresAt)}:\n${link.url}\n`)
    })
  )
}

/** `tapedeck admin link EMAIL`: prints a link that signs the user in, once. */
export const createLink = (written: Written, { optionValues, operand }: OperatorArguments): Promise<number> =>
  administer(
    written,
    { operation: "create_link", input: { email: operand } },
    ({ link, user }) =>
      say(optionValues, {
        json: { id: user.id, account_id: user.accountId, email: user.email, link: linkJson(link) },
        text: `Link that signs ${user.email} in, valid once, until ${toIso(link.expiresAt)}:\n${link.url}\n`
      }),
    { email: "EMAIL" }
  )

const linkJson = ({ expiresAt, url }: { readonly expiresAt: Instant; readonly url: string }) => ({
  url,
  expires_at: toIso(expiresAt)
})

interface Said {
  readonly json: unknown
  readonly text: string
}

const say = (optionValues: OptionValues, { json, text }: Said) =>
  void process.stdout.write(optionValues.has("json") ? `${JSON.stringify(json)}\n` : text)

const accountsView = (accounts: ReadonlyArray<Account>): Said => ({
  json: { accounts: accounts.map(({ apiAccess: api_access, id, name }) => ({ id, name, api_access })) },
  text: accounts
    .map(({ apiAccess, id, name }) => `${String(id).padEnd(6)}  API ${apiAccess ? "on " : "off"}  ${name}\n`)
    .join("")
})

const accountId = (text: string, place: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${place}: must be the number of an account, not ${text}`)
  return Number(text)
}

const apiAccess = (optionValues: OptionValues): boolean | undefined => {
  const text = optionValues.get("api-access")
  if (text !== undefined && text !== "on" && text !== "off")
    throw new UsageError(`--api-access: must be on or off, not ${text}`)
  return text === undefined ? undefined : text === "on"
}

/**
 * Runs an operation on accounts. On a data directory it runs in the server that has the directory or, if
 * none runs, in this process; on a PostgreSQL database in this process.
 */
const administer = async <Name extends OperationName>(
  written: Written,
  operation: Operation<Name>,
  done: (result: Result<Name>) => void,
  operands: Operands = {}
): Promise<number> => {
  const config = readConfig(written)
  if (config.store === "memory") throw new UsageError("--store: accounts in memory cannot be administered")
  const directory = directoryFor(config, operation.operation)
  try {
    const answer = config.database_url === undefined ? await sendToServer(directory, operation) : null
    done(answer === null ? await inThisProcess(config, written, { directory, operation }) : answer.result)
  } catch (error) {
    throw inWords(error, operands)
  }
  return exitCodes.stopped
}

/** Only the first account creates a data directory or a key. A PostgreSQL database has its key there or in the environment. */
const directoryFor = ({ data, database_url }: Config, operation: OperationName): DataDirectory => {
  if (operation === "create_account") return openDataDirectory(data)
  return database_url === undefined ? existingDataDirectory(data) : { ...locate(data), isNew: false }
}

const inThisProcess = async <Name extends OperationName>(
  config: Config,
  { environment }: Written,
  { directory, operation }: { readonly directory: DataDirectory; readonly operation: Operation<Name> }
): Promise<Result<Name>> => {
  await finishRotation(directory)
  const { key } = findKey(environment, directory)
  const layer = Administration.layer.pipe(
    Layer.provide(signInUseCases),
    Layer.provide(useCases),
    Layer.provide(foundation(config, key, directory))
  )
  const exit = await Effect.runPromiseExit(Effect.provide(administered(operation), layer))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

/** Names of fields that are operands, not options. */
type Operands = { readonly [field: string]: string }

/** An error of core, with the option or operand that it concerns. */
const inWords = (error: unknown, operands: Operands): unknown => {
  const tag = (error as { readonly _tag?: string } | null)?._tag
  if (tag === "NotFound") {
    const { what } = error as NotFound
    return new UsageError(
      what === "Account" ? "no such account; tapedeck account list shows them" : "EMAIL: no user has this address"
    )
  }
  if (tag === "StateConflict") return new UsageError(`EMAIL: ${(error as StateConflict).reason}`)
  if (tag !== "InputInvalid") return error
  const { problems } = error as InputInvalid
  return new UsageError(
    problems.map(({ message, path }) => `${operands[path] ?? `--${path.replaceAll("_", "-")}`}: ${message}`).join("\n")
  )
}
