export { Api } from "./Api.ts"
export { AdminOnly, ApiAccess, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"
export { Recordings } from "./Recordings.ts"
export { Users } from "./Users.ts"
