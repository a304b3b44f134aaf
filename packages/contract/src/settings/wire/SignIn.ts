import {
  accountFields,
  PasswordChange as ChangeOfPassword,
  LinkUse,
  Credentials as UserCredentials,
  ForgottenPassword as UserForgottenPassword
} from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, nullableText, text, uri } from "../../wire/fields.ts"
import { flag, id, listOf, numericId, textAs } from "../fields.ts"
import { User } from "./People.ts"

export const Credentials = UserCredentials.annotate({
  identifier: "Credentials",
  examples: [{ email: "ada@acme.test", password: "correct horse battery staple" }]
})

/** In a page of this origin, or a program that says so, the answer's cookie is the session. */
export const SignedIn = Schema.Struct({
  user: User,
  account: Schema.Struct({ id: numericId("account", 1), name: textAs(accountFields.name) }).annotate({
    description: "Account of the user."
  })
}).annotate({ identifier: "SignedIn", description: "The signed-in user." })
export type SignedIn = typeof SignedIn.Type

export const LinkInput = LinkUse.annotate({
  identifier: "LinkInput",
  examples: [{ token: "Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA", password: "correct horse battery staple" }]
})

export const ForgottenPassword = UserForgottenPassword.annotate({
  identifier: "ForgottenPassword",
  examples: [{ email: "ada@acme.test" }]
})

export const ForgottenPasswordAnswer = Schema.Struct({
  message: text("What happens, for people to read.", "If a user has this address, a mail is on its way.")
}).annotate({
  identifier: "ForgottenPasswordAnswer",
  description: "If a user has this address, a mail is on its way: the same for an address that no user has."
})
export type ForgottenPasswordAnswer = typeof ForgottenPasswordAnswer.Type

export const PasswordChange = ChangeOfPassword.annotate({
  identifier: "PasswordChange",
  examples: [{ current_password: "correct horse battery staple", password: "incorrect zebra battery staple" }]
})

export const Session = Schema.Struct({
  id: id("session"),
  current: flag("Whether it is the session of this request."),
  method: Schema.Literals(["password", "oidc", "link"]).annotate({
    description: "How it began: with a password, by an OpenID Connect provider, or by a one-time link.",
    examples: ["password"]
  }),
  created_at: dateTime("When it began."),
  seen_at: dateTime("When it was last used, give or take a minute."),
  expires_at: dateTime("When it ends, unless it is used before."),
  ip_address: nullableText("Where it began.", "192.0.2.7"),
  user_agent: nullableText("What the browser calls itself.", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
}).annotate({ identifier: "Session", description: "A browser in which the caller is signed in." })
export type Session = typeof Session.Type

export const SessionList = Schema.Struct({
  sessions: listOf(Session, "The caller's sessions, newest first.")
}).annotate({ identifier: "SessionList", description: "Where the caller is signed in." })

const linkFields = {
  url: uri(
    "The link sets a password, once. It is shown only in this response.",
    "https://tapedeck.example/sign-in/link?token=Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA"
  ),
  expires_at: dateTime("When it is no longer good."),
  mail: Schema.Literals(["sent", "failed", "off"]).annotate({
    description:
      "Whether it was mailed to them. `failed`: the first try failed, and it is tried again while the link is valid; `off`: no mail is set up. The link works in any case.",
    examples: ["sent"]
  })
}

export const PasswordLink = Schema.Struct(linkFields).annotate({
  identifier: "PasswordLink",
  description: "A one-time link with which a user sets a password."
})
export type PasswordLink = typeof PasswordLink.Type

export const InvitedUser = Schema.Struct({
  ...User.fields,
  invitation: Schema.NullOr(PasswordLink).annotate({
    description:
      "The link with which they set a password; null for an access token, and where sign-in by password is off."
  })
}).annotate({ identifier: "InvitedUser", description: "A user who was invited." })
export type InvitedUser = typeof InvitedUser.Type
