import {
  Administration,
  type InputInvalid,
  InputMalformed,
  type NewAdmin,
  type NewLink,
  type NotFound,
  type StateConflict
} from "@tapedeck/core"
import type { Account } from "@tapedeck/domain"
import {
  AccountChange,
  AccountInput,
  AdminInput,
  type DecodedInput,
  decodeInput,
  type JsonObject,
  UserAddress
} from "@tapedeck/domain/input"
import { Effect, type Schema } from "effect"

type Admin = Administration["Service"]

const decoded = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  input: JsonObject
): Effect.Effect<DecodedInput<S["Type"]>, InputMalformed> =>
  Effect.mapError(Effect.fromResult(decodeInput(schema)(input)), (reason) => new InputMalformed({ reason }))

/** Operations on accounts and their users, in the process of the command or in the server that has the directory. */
const operations = {
  create_account: (admin: Admin, { input }: Arguments): Effect.Effect<Account, Refusal> =>
    Effect.flatMap(decoded(AccountInput, input), admin.createAccount),
  list_accounts: (admin: Admin): Effect.Effect<ReadonlyArray<Account>, Refusal> => admin.accounts,
  change_account: (admin: Admin, { id, input }: Arguments): Effect.Effect<Account, Refusal> =>
    Effect.flatMap(decoded(AccountChange, input), (change) => admin.changeAccount(id, change)),
  create_admin: (admin: Admin, { id, input }: Arguments): Effect.Effect<NewAdmin, Refusal> =>
    Effect.flatMap(decoded(AdminInput, input), (user) => admin.createAdmin(id, user)),
  create_link: (admin: Admin, { input }: Arguments): Effect.Effect<NewLink, Refusal> =>
    Effect.flatMap(decoded(UserAddress, input), admin.createLink)
} as const

export type Refusal = StateConflict | InputInvalid | InputMalformed | NotFound

interface Arguments {
  /** The account's id. */
  readonly id: number
  readonly input: JsonObject
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
