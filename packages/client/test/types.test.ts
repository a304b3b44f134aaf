import type * as contract from "@tapedeck/contract"
import type { ErrorV1, ErrorV2, settings, v1, v2 } from "@tapedeck/contract"
import type { Effect, Stream } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { expectTypeOf, it } from "vitest"
import type { Answer } from "../src/Answer.ts"
import type { Download } from "../src/Download.ts"
import type { CallError } from "../src/effect/index.ts"
import type { OperationId } from "../src/effect/names.ts"
import type { SettingsOperations, V1Operations, V2Operations } from "../src/effect/Operations.ts"
import type { SettingsApi } from "../src/generated/settings.gen.ts"
import type * as Settings from "../src/generated/settings.types.gen.ts"
import type { V1Api } from "../src/generated/v1.gen.ts"
import type * as V1 from "../src/generated/v1.types.gen.ts"
import type { V2Api } from "../src/generated/v2.gen.ts"
import type * as V2 from "../src/generated/v2.types.gen.ts"
import type { FileBody, RequestOptions } from "../src/options.ts"
import type { Pages } from "../src/pages.ts"
import type { Tapedeck } from "../src/Tapedeck.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type IsUnion<T, Of = T> = T extends unknown ? ([Of] extends [T] ? false : true) : never

/** The contract's type with open enumerations: a string of two or more literals may be another one too. */
type Open<T> = true extends IsUnion<Extract<T, string>> ? T | (string & {}) : OpenWithin<T>

type OpenWithin<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Open<Item>>
    : T extends object
      ? { [Key in keyof T]: Open<T[Key]> }
      : T

/** The names of the bodies whose type is not exactly the contract's encoded one, or that the contract does not export. */
type Different<Bodies, Contract> = {
  [Name in keyof Bodies]: Name extends keyof Contract
    ? Contract[Name] extends { readonly Encoded: infer Encoded }
      ? Equal<Bodies[Name], Open<Encoded>> extends true
        ? never
        : Name
      : Name
    : Name
}[keyof Bodies]

/** The endpoints of an API of the contract, each with the id of its operation. */
type Operations<Groups> = {
  [Group in keyof Groups]: Groups[Group] extends { readonly endpoints: infer Endpoints }
    ? {
        [Name in keyof Endpoints]: {
          readonly id: OperationId<Group, Name>
          readonly endpoint: Endpoints[Name]
        }
      }[keyof Endpoints]
    : Group
}[keyof Groups]

type MethodOf<Root, Id> = Id extends `${infer Group}.${infer Name}`
  ? Group extends keyof Root
    ? Name extends keyof Root[Group]
      ? Root[Group][Name]
      : never
    : never
  : never

/** What the contract encodes, below the codec that an endpoint makes of it. */
type Encoded<Schema> = Schema extends { readonly schema: { readonly Encoded: infer Of } }
  ? Of
  : Schema extends { readonly Encoded: infer Of }
    ? Of
    : never

type PathArguments<Path, Params> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? [Params[Name & keyof Params], ...PathArguments<`/${More}`, Params>]
    : [Params[Rest & keyof Params]]
  : []

type Bytes = Uint8Array | Stream.Stream<Uint8Array, unknown>

/** Bytes are a file; v2's `{recording: {…}}` is given as what is in it. */
type BodyOf<Of> = Of extends Bytes
  ? FileBody
  : Of extends string
    ? string
    : keyof Of extends "recording"
      ? Open<Of["recording" & keyof Of]>
      : Open<Of>

type BodyArgument<Payload> = [Payload] extends [never] ? [] : [BodyOf<Encoded<Payload>>]

/** A query is given decoded: a page is a number. One value that is required is given alone. */
type QueryArgument<Query> = [Query] extends [{ readonly Type: infer Of }]
  ? [Query] extends [never]
    ? []
    : object extends Of
      ? [query?: Open<Of> | undefined]
      : IsUnion<keyof Of> extends true
        ? [query: Open<Of>]
        : [Open<Of[keyof Of]>]
  : never

interface Endpoint {
  readonly path: string
  readonly "~Params": unknown
  readonly "~Query": unknown
  readonly "~Payload": unknown
  readonly "~Success": unknown
}

type ItemOf<Body> = { [Name in keyof Body]-?: Body[Name] extends ReadonlyArray<infer Item> ? Item : never }[keyof Body]

/** Nothing, a file, a page of a list, or JSON. */
type ResultOf<Of> = [Of] extends [void]
  ? { readonly data: void }
  : [Extract<Of, string | Bytes>] extends [never]
    ? [Of] extends [{ readonly pagination: unknown }]
      ? { readonly page: Open<Of>; readonly item: ItemOf<Open<Of>> }
      : { readonly data: Open<Of> }
    : { readonly data: Download }

type Declared<Of extends Endpoint, Options> = [
  [
    ...PathArguments<Of["path"], Encoded<Of["~Params"]>>,
    ...BodyArgument<Of["~Payload"]>,
    ...QueryArgument<Of["~Query"]>,
    options?: Options | undefined
  ],
  ResultOf<Encoded<Of["~Success"]>>
]

type Offered<Method> = Method extends (...given: infer Given) => infer Returned
  ? [
      Given,
      Returned extends Pages<infer Page, infer Item>
        ? { readonly page: Page; readonly item: Item }
        : Returned extends Answer<infer Data>
          ? { readonly data: Data }
          : Returned
    ]
  : never

type OptionsOf<Method> = Method extends (...given: infer Given) => unknown
  ? Required<Given> extends [...unknown[], infer Options]
    ? Options
    : never
  : never

/** The ids of the operations without a method, or whose method takes or returns anything else than the contract says. */
type DifferentOperations<Root, Api extends { readonly groups: unknown }> =
  Operations<Api["groups"]> extends infer Operation
    ? Operation extends { readonly id: infer Id; readonly endpoint: infer Of extends Endpoint }
      ? OptionsOf<MethodOf<Root, Id>> extends infer Options extends RequestOptions
        ? Equal<Offered<MethodOf<Root, Id>>, Declared<Of, Options>> extends true
          ? never
          : Id
        : Id
      : Operation
    : never

it("v2's types are as the contract encodes them, with open enumerations", () => {
  expectTypeOf<Different<V2.Bodies, typeof contract & { readonly ErrorBody: typeof ErrorV2 }>>().toBeNever()
})

it("v1's types are as the contract encodes them, with open enumerations", () => {
  expectTypeOf<Different<V1.Bodies, typeof contract & { readonly ErrorBody: typeof ErrorV1 }>>().toBeNever()
})

it("the settings API's types are as the contract encodes them, with open enumerations", () => {
  expectTypeOf<Different<Settings.Bodies, typeof settings & { readonly ErrorBody: typeof ErrorV2 }>>().toBeNever()
})

it("an enumeration accepts a value of a later service, and no other type", () => {
  expectTypeOf<"Hologram">().toExtend<V2.RecordingType>()
  expectTypeOf<"paused">().toExtend<NonNullable<Settings.DeliveriesListQuery["state"]>>()
  expectTypeOf<number>().not.toExtend<V2.RecordingType>()
})

it("v2's methods take and return what the contract declares", () => {
  expectTypeOf<DifferentOperations<V2Api, typeof v2.Api>>().toBeNever()
})

it("v1's methods take and return what the contract declares", () => {
  expectTypeOf<DifferentOperations<V1Api, typeof v1.Api>>().toBeNever()
})

it("the settings API's methods take and return what the contract declares; recordings.list has the list without changes", () => {
  expectTypeOf<Exclude<DifferentOperations<SettingsApi, typeof settings.Api>, "recordings.list">>().toBeNever()
  expectTypeOf<ReturnType<SettingsApi["recordings"]["list"]>>().toEqualTypeOf<
    Pages<Settings.RecordingList, Settings.ListedRecording>
  >()
  expectTypeOf<ReturnType<Tapedeck["recordingChanges"]>>().toEqualTypeOf<
    AsyncGenerator<Settings.RecordingChanges, void, undefined>
  >()
})

type ErrorOf<Method> = Method extends (...given: never) => infer Returned
  ? Returned extends Stream.Stream<infer _, infer Error>
    ? Error
    : Returned extends Effect.Effect<infer _, infer Error>
      ? Error
      : never
  : never

/** The ids of the operations without an Effect, or whose Effect fails with anything else than the contract says. */
type DifferentErrors<Root, Api extends { readonly groups: unknown }> =
  Operations<Api["groups"]> extends infer Operation
    ? Operation extends { readonly id: infer Id; readonly endpoint: infer Of }
      ? Equal<ErrorOf<MethodOf<Root, Id>>, HttpApiEndpoint.Errors<Of> | CallError> extends true
        ? never
        : Id
      : Operation
    : never

it("every operation as an Effect fails with the errors that the contract declares", () => {
  expectTypeOf<DifferentErrors<V2Operations, typeof v2.Api>>().toBeNever()
  expectTypeOf<DifferentErrors<V1Operations, typeof v1.Api>>().toBeNever()
  expectTypeOf<DifferentErrors<SettingsOperations, typeof settings.Api>>().toBeNever()
})
