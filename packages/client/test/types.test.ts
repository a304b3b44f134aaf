import type * as contract from "@tapedeck/contract"
import type { ErrorV1, ErrorV2, settings, v1, v2 } from "@tapedeck/contract"
import type { Stream } from "effect"
import { expect, expectTypeOf, it } from "vitest"
import { endpointsByOperation } from "../scripts/effect.ts"
import type { Answer } from "../src/Answer.ts"
import type { Download } from "../src/Download.ts"
import type { SettingsApi } from "../src/generated/settings.gen.ts"
import type * as Settings from "../src/generated/settings.types.gen.ts"
import type { V1Api } from "../src/generated/v1.gen.ts"
import type * as V1 from "../src/generated/v1.types.gen.ts"
import type { V2Api } from "../src/generated/v2.gen.ts"
import type * as V2 from "../src/generated/v2.types.gen.ts"
import type { FileBody, RequestOptions } from "../src/options.ts"
import type { Pages } from "../src/pages.ts"

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

/** Operations whose id is not that of their endpoint in the contract, in camel case. */
const renamed = {
  "folders.rename": "folders.update",
  "folders.recordings": "folders.listRecordings",
  "captures.log": "recordings.log",
  "captures.har": "recordings.logHar",
  "captures.importLog": "recordings.importLog",
  "recordings.errors": "recordings.getErrors",
  "recordings.leave": "recordings.removeFromFolder",
  "transcripts.edit": "transcripts.update",
  "automations.deliveries": "automations.listDeliveries",
  "automations.delivery": "automations.getDelivery",
  "auditDestinations.deliveries": "auditDestinations.listDeliveries",
  "auditDestinations.delivery": "auditDestinations.getDelivery",
  "tokens.view": "tokens.get",
  "tokens.rename": "tokens.update",
  "users.picture": "users.getPicture",
  "users.passwordLink": "users.createPasswordLink",
  "profile.picture": "profile.getPicture"
} as const

type Camel<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Text & string

type IdOf<Name extends string> = Name extends keyof typeof renamed
  ? (typeof renamed)[Name]
  : Name extends `${infer Group}.read`
    ? `${Group}.get`
    : Name

const idOf = (group: string, endpoint: string): string => {
  const name = `${group}.${endpoint}`.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return (renamed as Readonly<Record<string, string>>)[name] ?? name.replace(/\.read$/, ".get")
}

/** The endpoints of an API of the contract, each with the id of its operation. */
type Operations<Groups> = {
  [Group in keyof Groups]: Groups[Group] extends { readonly endpoints: infer Endpoints }
    ? {
        [Name in keyof Endpoints]: {
          readonly id: IdOf<`${Camel<Group>}.${Camel<Name>}`>
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

it("the settings API's methods take and return what the contract declares", () => {
  expectTypeOf<DifferentOperations<SettingsApi, typeof settings.Api>>().toBeNever()
})

it.each(Object.entries(endpointsByOperation))(
  "the types above know each operation of %s by its endpoint",
  (_, endpoints) => {
    expect([...endpoints.values()].map(({ group, name }) => idOf(group, name))).toEqual([...endpoints.keys()])
  }
)
