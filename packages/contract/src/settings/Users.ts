import { PictureType } from "@tapedeck/domain/internal"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created, idParameter, noContent, noSuch } from "./fields.ts"
import { AdminAccess, AdminSession, IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Account, AccountChange, ProfileChange, User, UserChange, UserInput, UserPage } from "./wire/People.ts"
import { InvitedUser, PasswordLink, SessionList } from "./wire/SignIn.ts"

const params = { id: idParameter("user", "1") }

const lastAdmin = errorV2("Conflict", "It is the account's last active admin.")

const list = HttpApiEndpoint.get("list", "/users", { query: PageQuery, success: UserPage })
  .annotateMerge(about("users.list", "List users", "All users of the account, deactivated ones too, oldest first."))
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const invite = HttpApiEndpoint.post("invite", "/users", {
  headers: idempotencyKey,
  payload: UserInput,
  success: created(InvitedUser),
  error: bodyErrors
})
  .annotateMerge(
    about(
      "users.invite",
      "Invite a user",
      "Adds a user to the account. In a signed-in session: with a one-time link to set a password by, which is mailed " +
        "where mail is set up. With an access token: without one, for a leaked token would have it.",
      "user.invited"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/users/:id", { params, success: User, error: noSuch("user") })
  .annotateMerge(about("users.get", "Get a user", "One user of the account."))
  .middleware(AdminAccess)

const update = HttpApiEndpoint.patch("update", "/users/:id", {
  params,
  payload: UserChange,
  success: User,
  error: [...bodyErrors, noSuch("user"), lastAdmin]
})
  .annotateMerge(
    about(
      "users.update",
      "Change a user",
      "Changes name, role, notifications or mail about failed deliveries; absent fields stay. The last active admin cannot be changed to a member.",
      "user.updated",
      "user.role_changed"
    )
  )
  .middleware(AdminAccess)

const pictureBytes = HttpApiSchema.StreamUint8Array({ contentType: PictureType.literals })

const picture = HttpApiEndpoint.get("picture", "/users/:id/picture", {
  params,
  success: pictureBytes,
  error: errorV2("NotFound", "There is no such user, or no picture of them was uploaded.")
})
  .annotateMerge(about("users.getPicture", "Get a profile picture", "The picture, as it was uploaded."))
  .middleware(AdminAccess)

const badPicture = [
  errorV2("BadRequest", "The body is empty or incomplete."),
  errorV2("Unprocessable", "The file is no PNG and no JPEG.")
] as const

const setPicture = HttpApiEndpoint.put("set_picture", "/users/:id/picture", {
  params,
  payload: pictureBytes,
  success: User,
  error: [...badPicture, noSuch("user")]
})
  .annotateMerge(
    about(
      "users.setPicture",
      "Upload a profile picture",
      "The body is the file: PNG or JPEG, detected from its first bytes, of at most 1 MiB. It replaces the present picture.",
      "user.updated"
    )
  )
  .middleware(AdminAccess)

const removePicture = HttpApiEndpoint.delete("remove_picture", "/users/:id/picture", {
  params,
  success: noContent("The user has no profile picture."),
  error: noSuch("user")
})
  .annotateMerge(
    about("users.removePicture", "Remove a profile picture", "Once more, it changes nothing.", "user.updated")
  )
  .middleware(AdminAccess)

const deactivate = HttpApiEndpoint.post("deactivate", "/users/:id/deactivate", {
  params,
  headers: idempotencyKey,
  success: User,
  error: [noSuch("user"), lastAdmin]
})
  .annotateMerge(
    about(
      "users.deactivate",
      "Deactivate a user",
      "Their tokens are 401 from then on, and where they signed in they are signed out; what they own stays.",
      "user.deactivated"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const reactivate = HttpApiEndpoint.post("reactivate", "/users/:id/reactivate", {
  params,
  headers: idempotencyKey,
  success: User,
  error: noSuch("user")
})
  .annotateMerge(
    about(
      "users.reactivate",
      "Reactivate a user",
      "Their tokens, capture links and share links are valid again. They must sign in again.",
      "user.reactivated"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const passwordLink = HttpApiEndpoint.post("password_link", "/users/:id/password-link", {
  params,
  success: created(PasswordLink),
  error: [noSuch("user"), errorV2("Conflict", "The user is deactivated, or sign-in with passwords is disabled.")]
})
  .annotateMerge(
    about(
      "users.createPasswordLink",
      "Make a link to set a password",
      "For a user who forgot theirs, or whose invitation has expired: works once, replaces earlier links, and " +
        "is mailed where mail is set up. The password that they have stays good until the link is used.",
      "user.password_link_created"
    )
  )
  .middleware(AdminSession)

const sessions = HttpApiEndpoint.get("sessions", "/users/:id/sessions", {
  params,
  success: SessionList,
  error: noSuch("user")
})
  .annotateMerge(about("users.sessions", "List a user's sessions", "Where a user is signed in, newest first."))
  .middleware(AdminAccess)

const endSessions = HttpApiEndpoint.delete("end_sessions", "/users/:id/sessions", {
  params,
  success: noContent("They have ended."),
  error: noSuch("user")
})
  .annotateMerge(
    about(
      "users.endSessions",
      "Sign a user out",
      "Ends all sessions of a user, except the one of this request.",
      "user.session_ended"
    )
  )
  .middleware(AdminSession)

export class Users extends HttpApiGroup.make("users")
  .add(
    list,
    invite,
    read,
    update,
    picture,
    setPicture,
    removePicture,
    deactivate,
    reactivate,
    passwordLink,
    sessions,
    endSessions
  )
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The users of the account; for admins only." })) {}

const readProfile = HttpApiEndpoint.get("read", "/profile", { success: User })
  .annotateMerge(about("profile.get", "Get the profile", "The caller, as a user of the account."))
  .middleware(MemberAccess)

const updateProfile = HttpApiEndpoint.patch("update", "/profile", {
  payload: ProfileChange,
  success: User,
  error: bodyErrors
})
  .annotateMerge(
    about("profile.update", "Change the profile", "The caller's own name and mail; absent fields stay.", "user.updated")
  )
  .middleware(MemberAccess)

const profilePicture = HttpApiEndpoint.get("picture", "/profile/picture", {
  success: pictureBytes,
  error: errorV2("NotFound", "No picture was uploaded.")
})
  .annotateMerge(about("profile.getPicture", "Get the own picture", "The picture, as it was uploaded."))
  .middleware(MemberAccess)

const setProfilePicture = HttpApiEndpoint.put("set_picture", "/profile/picture", {
  payload: pictureBytes,
  success: User,
  error: badPicture
})
  .annotateMerge(
    about(
      "profile.setPicture",
      "Upload the own picture",
      "The body is the file: PNG or JPEG, detected from its first bytes, of at most 1 MiB. It replaces the present picture.",
      "user.updated"
    )
  )
  .middleware(MemberAccess)

const removeProfilePicture = HttpApiEndpoint.delete("remove_picture", "/profile/picture", {
  success: noContent("The caller has no profile picture.")
})
  .annotateMerge(
    about("profile.removePicture", "Remove the own picture", "Once more, it changes nothing.", "user.updated")
  )
  .middleware(MemberAccess)

export class Profile extends HttpApiGroup.make("profile")
  .add(readProfile, updateProfile, profilePicture, setProfilePicture, removeProfilePicture)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Profile", description: "The caller's own profile: name, picture and mail." })
  ) {}

const readAccount = HttpApiEndpoint.get("read", "/account", { success: Account })
  .annotateMerge(about("account.get", "Get the account", "The caller's account."))
  .middleware(AdminAccess)

const updateAccount = HttpApiEndpoint.patch("update", "/account", {
  payload: AccountChange,
  success: Account,
  error: bodyErrors
})
  .annotateMerge(
    about(
      "account.update",
      "Change the account",
      "Name or API access; what is left out stays. API access is changed in a signed-in session only: with an access token it " +
        "is 403. While it is off, the account's access tokens are 403, and sessions go on working.",
      "account.updated"
    )
  )
  .middleware(AdminAccess)

export class AccountGroup extends HttpApiGroup.make("account")
  .add(readAccount, updateAccount)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "The account; for admins only." })) {}
