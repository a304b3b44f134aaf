/** The types of the settings API, by name: `@tapedeck/client/settings`. A declaration that names one refers to this module. */
export type * from "../generated/settings.gen.ts"
export type * from "../generated/settings.types.gen.ts"
