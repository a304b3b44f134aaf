export { Api } from "./Api.ts"
export { ApiAccess, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"
export { Recordings } from "./Recordings.ts"
