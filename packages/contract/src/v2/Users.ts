import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { PageQuery, UserSearchQuery } from "../wire/parameters.ts"
import { User, UserPage } from "../wire/User.ts"
import { AdminOnly, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"

/** GET /users */
const listUsers = HttpApiEndpoint.get("list", "/users", {
  query: PageQuery,
  success: UserPage
}).annotateMerge(
  OpenApi.annotations({
    identifier: "users.list",
    summary: "List users",
    description: "Lists the users of the account, oldest first, by page; for admins only."
  })
)

/** GET /users/search */
const searchUser = HttpApiEndpoint.get("search", "/users/search", {
  query: UserSearchQuery,
  success: User,
  error: errorV2("NotFound", "No user of the account has this e-mail address.")
}).annotateMerge(
  OpenApi.annotations({
    identifier: "users.search",
    summary: "Find a user by e-mail address",
    description: "Returns the user of the account with this e-mail address; for admins only."
  })
)

export class Users extends HttpApiGroup.make("users")
  .add(listUsers, searchUser)
  .middleware(QueryValidation)
  .middleware(AdminOnly)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The users of the account." })) {}
