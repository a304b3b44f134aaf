import { v2 } from "@tapedeck/contract"
import { Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { permitted, queryRefusal } from "../middleware.ts"

/** v2's middlewares. Authentication and the limits were the front's business, for unknown paths too (R1). */
export const middleware = Layer.mergeAll(
  Layer.succeed(v2.Authentication, (next) => next),
  Layer.succeed(v2.RequestLimits, (next) => next),
  Layer.succeed(v2.ApiAccess, permitted),
  Layer.succeed(v2.AdminOnly, permitted),
  HttpApiMiddleware.layerSchemaErrorTransform(v2.QueryValidation, queryRefusal)
)
