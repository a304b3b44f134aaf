import {
  Administration,
  type InputInvalid,
  type InputMalformed,
  type NewAdmin,
  type NewLink,
  type NotFound,
  type SettingsInput,
  type StateConflict
} from "@tapedeck/core"
import type { Account } from "@tapedeck/domain"
import { Effect } from "effect"

type Admin = Administration["Service"]

/** Operations on accounts and their users, in the process of the command or in the server that has the directory. */
const operations = {
  create_account: (admin: Admin, { input }: Arguments): Effect.Effect<Account, Refusal> => admin.createAccount(input),
  list_accounts: (admin: Admin): Effect.Effect<ReadonlyArray<Account>, Refusal> => admin.accounts,
  change_account: (admin: Admin, { id, input }: Arguments): Effect.Effect<Account, Refusal> =>
    admin.changeAccount(id, input),
  create_admin: (admin: Admin, { id, input }: Arguments): Effect.Effect<NewAdmin, Refusal> =>
    admin.createAdmin(id, input),
  create_link: (admin: Admin, { input }: Arguments): Effect.Effect<NewLink, Refusal> => admin.createLink(input)
} as const

export type Refusal = StateConflict | InputInvalid | InputMalformed | NotFound

interface Arguments {
  /** The account's id. */
  readonly id: number
  readonly input: SettingsInput
}

export type OperationName = keyof typeof operations

export interface Operation<Name extends OperationName = OperationName> extends Partial<Arguments> {
  readonly operation: Name
}

export type Result<Name extends OperationName> = Effect.Success<ReturnType<(typeof operations)[Name]>>

/** Runs an operation in this process. */
export const administered = <Name extends OperationName>({
  id = 0,
  input = {},
  operation
}: Operation<Name>): Effect.Effect<Result<Name>, Refusal, Administration> =>
  Effect.flatMap(Administration, (admin) => {
    const run = operations[operation] as (
      admin: Admin,
      given: Arguments
    ) => Effect.Effect<Result<OperationName>, Refusal>
    return run(admin, { id, input }) as Effect.Effect<Result<Name>, Refusal>
  })

/** Decodes an operation; undefined if it is invalid. */
export const operationIn = (value: unknown): Operation | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { id, input, operation } = value as Partial<Record<keyof Operation, unknown>>
  const isKnown = typeof operation === "string" && Object.hasOwn(operations, operation)
  const isComplete = (id === undefined || typeof id === "number") && (input === undefined || typeof input === "object")
  return isKnown && isComplete && input !== null ? (value as Operation) : undefined
}
