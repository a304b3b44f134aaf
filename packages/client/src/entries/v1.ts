/** The types of the legacy v1 API, by name: `@tapedeck/client/v1`. A declaration that names one refers to this module. */
export type * from "../generated/v1.gen.ts"
export type * from "../generated/v1.types.gen.ts"
