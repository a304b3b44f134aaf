import { PictureType } from "@tapedeck/domain/internal/files"
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

const lastAdmin = errorV2("Conflict", "The user is the account's last active admin.")

const list = HttpApiEndpoint.get("list", "/users", { query: PageQuery, success: UserPage })
  .annotateMerge(
    about("users.list", "List users", "Lists the users of the account, including deactivated users, oldest first.")
  )
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
      "Adds a user to the account. For a signed-in session, the response has a one-time link with which the user sets a password; the link is " +
        "mailed if mail is set up. For an access token it has no link, so that a leaked token cannot set passwords.",
      "user.invited"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/users/:id", { params, success: User, error: noSuch("user") })
  .annotateMerge(about("users.get", "Get a user", "Returns a user of the account."))
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
      "Update a user",
      "Fields that you omit keep their value. The last active admin cannot become a member.",
      "user.updated",
      "user.role_changed"
    )
  )
  .middleware(AdminAccess)

const pictureBytes = HttpApiSchema.StreamUint8Array({ contentType: PictureType.literals })

const picture = HttpApiEndpoint.get("picture", "/users/:id/picture", {
  params,
  success: pictureBytes,
  error: errorV2("NotFound", "The user does not exist, or has no picture.")
})
  .annotateMerge(about("users.getPicture", "Get a profile picture", "Returns the picture as it was uploaded."))
  .middleware(AdminAccess)

const badPicture = [
  errorV2("BadRequest", "The body is empty or incomplete."),
  errorV2("Unprocessable", "The file is neither PNG nor JPEG.")
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
      "Replaces the picture. The body is a PNG or JPEG file of at most 1 MiB; its type is detected from its first bytes.",
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
    about(
      "users.removePicture",
      "Remove a profile picture",
      "Removes the picture. A repeated call changes nothing.",
      "user.updated"
    )
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
      "Deactivates a user, and ends their sessions. Their tokens are refused with 401 from then on. The user's recordings are kept.",
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
      "Reactivates a user. Their tokens, capture links and share links become valid again. The user must sign in again.",
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
      "Create a link to set a password",
      "Creates a one-time link for a user who forgot their password, or whose invitation expired. It replaces earlier links, and is " +
        "mailed if mail is set up. A password that the user has stays valid until the link is used.",
      "user.password_link_created"
    )
  )
  .middleware(AdminSession)

const sessions = HttpApiEndpoint.get("sessions", "/users/:id/sessions", {
  params,
  success: SessionList,
  error: noSuch("user")
})
  .annotateMerge(about("users.sessions", "List a user's sessions", "Lists the sessions of a user, newest first."))
  .middleware(AdminAccess)

const endSessions = HttpApiEndpoint.delete("end_sessions", "/users/:id/sessions", {
  params,
  success: noContent("The sessions have ended."),
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
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "Users of the account; for admins only." })) {}

const readProfile = HttpApiEndpoint.get("read", "/profile", { success: User })
  .annotateMerge(about("profile.get", "Get the profile", "Returns the caller, as a user of the account."))
  .middleware(MemberAccess)

const updateProfile = HttpApiEndpoint.patch("update", "/profile", {
  payload: ProfileChange,
  success: User,
  error: bodyErrors
})
  .annotateMerge(
    about(
      "profile.update",
      "Update the profile",
      "Changes the name, notifications and mail of the caller. Fields that you omit keep their value.",
      "user.updated"
    )
  )
  .middleware(MemberAccess)

const profilePicture = HttpApiEndpoint.get("picture", "/profile/picture", {
  success: pictureBytes,
  error: errorV2("NotFound", "The caller has no picture.")
})
  .annotateMerge(about("profile.getPicture", "Get the caller's picture", "Returns the picture as it was uploaded."))
  .middleware(MemberAccess)

const setProfilePicture = HttpApiEndpoint.put("set_picture", "/profile/picture", {
  payload: pictureBytes,
  success: User,
  error: badPicture
})
  .annotateMerge(
    about(
      "profile.setPicture",
      "Upload the caller's picture",
      "Replaces the picture. The body is a PNG or JPEG file of at most 1 MiB; its type is detected from its first bytes.",
      "user.updated"
    )
  )
  .middleware(MemberAccess)

const removeProfilePicture = HttpApiEndpoint.delete("remove_picture", "/profile/picture", {
  success: noContent("The caller has no profile picture.")
})
  .annotateMerge(
    about(
      "profile.removePicture",
      "Remove the caller's picture",
      "Removes the picture. A repeated call changes nothing.",
      "user.updated"
    )
  )
  .middleware(MemberAccess)

export class Profile extends HttpApiGroup.make("profile")
  .add(readProfile, updateProfile, profilePicture, setProfilePicture, removeProfilePicture)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Profile", description: "Profile of the caller: name, picture and mail." })
  ) {}

const readAccount = HttpApiEndpoint.get("read", "/account", { success: Account })
  .annotateMerge(about("account.get", "Get the account", "Returns the caller's account."))
  .middleware(AdminAccess)

const updateAccount = HttpApiEndpoint.patch("update", "/account", {
  payload: AccountChange,
  success: Account,
  error: bodyErrors
})
  .annotateMerge(
    about(
      "account.update",
      "Update the account",
      "Fields that you omit keep their value. Only a signed-in session can change `api_access`; a request with an access token is " +
        "refused with 403.",
      "account.updated"
    )
  )
  .middleware(AdminAccess)

export class AccountGroup extends HttpApiGroup.make("account")
  .add(readAccount, updateAccount)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "Account of the caller; for admins only." })) {}
