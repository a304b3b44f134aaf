import type * as contract from "@tapedeck/contract"
import type { ErrorV1, ErrorV2, settings } from "@tapedeck/contract"
import { expectTypeOf, it } from "vitest"
import type * as Settings from "../src/generated/settings.types.gen.ts"
import type * as V1 from "../src/generated/v1.types.gen.ts"
import type * as V2 from "../src/generated/v2.types.gen.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** For types with free JSON, whose recursive types are equal but not the same. */
type Alike<A, B> = [A, B] extends [B, A] ? true : false

type WithFreeJson =
  | "AuditEntry"
  | "AuditEntryPage"
  | "RecordingChange"
  | "RecordingInput"
  | "RecordingTranscript"
  | "Transcript"
  | "TranscriptImport"
  | "TranscriptInput"

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
        : Name extends WithFreeJson
          ? Alike<Bodies[Name], Open<Encoded>> extends true
            ? never
            : Name
          : Name
      : Name
    : Name
}[keyof Bodies]

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
