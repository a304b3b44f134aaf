import { v1 } from "@tapedeck/contract"
import { Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { permitted, queryRefusal } from "../middleware.ts"

/** v1's middlewares. Authentication and the limits were the front's business, for unknown paths too (R1). */
export const middleware = Layer.mergeAll(
  Layer.succeed(v1.Authentication, (next) => next),
  Layer.succeed(v1.RequestLimits, (next) => next),
  Layer.succeed(v1.ApiAccess, permitted),
  HttpApiMiddleware.layerSchemaErrorTransform(v1.QueryValidation, queryRefusal)
)
