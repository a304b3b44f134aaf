export type * as Settings from "@tapedeck/client/settings"
export type * as V1 from "@tapedeck/client/v1"
export {
  BadRequest,
  Conflict,
  Forbidden,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RangeNotSatisfiable,
  ServiceUnavailable,
  TooManyRequests,
  Unauthenticated,
  Unprocessable,
  UnsupportedMediaType,
  UriTooLong
} from "@tapedeck/contract"
export type * from "../generated/v2.types.gen.ts"
export type { Json } from "../json.ts"
export { type Download, FileChanged, type KeyedOptions, type RawBytes, type RawOptions } from "./calls.ts"
export type { CallError, SendError } from "./send.ts"
export { Tapedeck, type TapedeckOperations, type TapedeckOptions } from "./Tapedeck.ts"
