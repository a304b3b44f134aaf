/**
 * The types of the operations: parameters, results and texts are those of the promise client, which has a method for each, and
 * the errors are those that the contract declares.
 */
import type { ApiError, settings, v1, v2 } from "@tapedeck/contract"
import type { Effect, Stream } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Answer } from "../Answer.ts"
import type { Download as PromisedDownload } from "../Download.ts"
import type { SettingsApi } from "../generated/settings.gen.ts"
import type { V1Api } from "../generated/v1.gen.ts"
import type { V2Api } from "../generated/v2.gen.ts"
import type { ContentType, FileBody } from "../options.ts"
import type { Pages } from "../pages.ts"
import type { Download, KeyedOptions, RawBytes, RawOptions } from "./calls.ts"
import type { OperationId } from "./names.ts"
import type { CallError } from "./send.ts"

/** The endpoints of a group, by the ids of their operations. */
type Endpoints<Group> = Group extends { readonly identifier: infer Id; readonly endpoints: infer Of }
  ? { [Name in keyof Of as OperationId<Id, Name>]: Of[Name] }
  : never

type EndpointOf<Of, Id> = Of extends unknown ? (Id extends keyof Of ? Of[Id] : never) : never

type ErrorsByTag = { readonly [Error in ApiError as Error["_tag"]]: Error }

type TagOf<Endpoint> =
  HttpApiEndpoint.Errors<Endpoint> extends { readonly _tag: infer Tag extends keyof ErrorsByTag } ? Tag : never

/** Parameters without the last, which has the options of the promise client. */
type WithoutLast<Given extends ReadonlyArray<unknown>> =
  Required<Given> extends readonly [...infer Others, unknown] ? OptionalAgain<Others, Given["length"]> : never

/** The last parameter may be omitted if a call may have one argument less. */
type OptionalAgain<Given extends ReadonlyArray<unknown>, Lengths> = Given extends readonly [...infer Others, unknown]
  ? Others["length"] extends Lengths
    ? Given extends readonly [...Others, ...infer Last]
      ? [...Others, ...{ [Index in keyof Last]?: Last[Index] | undefined }]
      : never
    : Given
  : Given

/** Where the promise client takes a file, this one takes bytes. */
type WithBytes<Given> = { [Index in keyof Given]: FileBody extends Given[Index] ? RawBytes : Given[Index] }

type Last<Given extends ReadonlyArray<unknown>> = Required<Given> extends readonly [...unknown[], infer Of] ? Of : never

type HeadersOf<Endpoint> = Endpoint extends { readonly "~Headers": { readonly Type: infer Of } } ? Of : never

type Options<Promised, Endpoint> = "idempotency-key" extends keyof HeadersOf<Endpoint>
  ? [options?: KeyedOptions | undefined]
  : Promised extends ContentType<infer Type>
    ? string extends Type
      ? []
      : [options?: RawOptions<Type> | undefined]
    : []

type Parameters<Given extends ReadonlyArray<unknown>, Endpoint> = [
  ...WithBytes<WithoutLast<Given>>,
  ...Options<Last<Given>, Endpoint>
]

type Result<Promised, Error> =
  Promised extends Pages<infer _, infer Item>
    ? Stream.Stream<Item, Error>
    : Promised extends Answer<infer Data>
      ? [Data] extends [PromisedDownload]
        ? Effect.Effect<Download<Error>, Error>
        : Effect.Effect<Data, Error>
      : never

/** Errors are found by their tags, so that an editor shows their names, and not the type of the endpoint. */
type Method<Promised, Endpoint> = Promised extends (...given: infer Given) => infer Returned
  ? (...given: Parameters<Given, Endpoint>) => Result<Returned, ErrorsByTag[TagOf<Endpoint>] | CallError>
  : never

type PageMethod<Promised, Endpoint> = Promised extends (...given: infer Given) => Pages<infer Page, infer _>
  ? (...given: Parameters<Given, Endpoint>) => Effect.Effect<Page, ErrorsByTag[TagOf<Endpoint>] | CallError>
  : never

type Methods<Resource, Group extends string, Of> = {
  readonly [Name in keyof Resource]: Method<Resource[Name], EndpointOf<Of, `${Group}.${Name & string}`>>
}

/** A list has a second method, for one page of it. */
type PageMethods<Resource, Group extends string, Of> = {
  readonly [Name in keyof Resource as Resource[Name] extends (...given: never) => Pages<infer _, infer _>
    ? `${Name & string}Page`
    : never]: PageMethod<Resource[Name], EndpointOf<Of, `${Group}.${Name & string}`>>
}

/** The operations of a resource of the promise client; `Group` has their endpoints in the contract. */
type Operations<Root, Name extends keyof Root, Group> = Methods<Root[Name], Name & string, Endpoints<Group>> &
  PageMethods<Root[Name], Name & string, Endpoints<Group>>

export interface V1Operations {
  readonly recordings: Operations<V1Api, "recordings", typeof v1.Recordings>
}

export interface V2Operations {
  readonly recordings: Operations<V2Api, "recordings", typeof v2.Recordings>
  readonly users: Operations<V2Api, "users", typeof v2.Users>
}

/** By group: the type of the whole `HttpApi` is made of all endpoints, for which an editor would wait. */
export interface SettingsOperations {
  readonly folders: Operations<SettingsApi, "folders", typeof settings.Folders>
  readonly captureLinks: Operations<SettingsApi, "captureLinks", typeof settings.CaptureLinks>
  readonly sites: Operations<SettingsApi, "sites", typeof settings.Sites>
  readonly captures: Operations<SettingsApi, "captures", typeof settings.Captures>
  readonly recordings: Operations<SettingsApi, "recordings", typeof settings.Captures | typeof settings.Recordings>
  readonly sharing: Operations<SettingsApi, "sharing", typeof settings.SharingGroup>
  readonly transcripts: Operations<SettingsApi, "transcripts", typeof settings.Transcripts>
  readonly automations: Operations<SettingsApi, "automations", typeof settings.Automations>
  readonly auditDestinations: Operations<SettingsApi, "auditDestinations", typeof settings.AuditDestinations>
  readonly deliveries: Operations<SettingsApi, "deliveries", typeof settings.Deliveries>
  readonly redeliveries: Operations<SettingsApi, "redeliveries", typeof settings.Redeliveries>
  readonly events: Operations<SettingsApi, "events", typeof settings.Events>
  readonly auditEntries: Operations<SettingsApi, "auditEntries", typeof settings.AuditEntries>
  readonly tokens: Operations<SettingsApi, "tokens", typeof settings.Tokens>
  readonly users: Operations<SettingsApi, "users", typeof settings.Users>
  readonly account: Operations<SettingsApi, "account", typeof settings.AccountGroup>
  readonly profile: Operations<SettingsApi, "profile", typeof settings.Profile>
  readonly signIn: Operations<SettingsApi, "signIn", typeof settings.SignIn>
  readonly sessions: Operations<SettingsApi, "sessions", typeof settings.Sessions>
}
