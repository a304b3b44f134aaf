import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, nullableText, text, uri } from "../../wire/fields.ts"
import { flag, id, listOf, numericId, textAs } from "../fields.ts"
import { HelpdeskAddresses, User } from "./People.ts"

export const Credentials = input.Credentials.annotate({
  identifier: "Credentials",
  examples: [{ email: "ada@acme.test", password: "correct horse battery staple" }]
})

/** The signed-in user. The cookie of the response is the session, for pages of this origin and for programs that send its `Origin`. */
export const SignedIn = Schema.Struct({
  user: User,
  account: Schema.Struct({
    id: numericId("account", 1),
    name: textAs(input.accountFields.name),
    helpdesk_addresses: HelpdeskAddresses
  }).annotate({
    description: "Account of the user."
  })
}).annotate({ identifier: "SignedIn", description: "The signed-in user." })
export type SignedIn = typeof SignedIn.Type

export const LinkInput = input.LinkInput.annotate({
  identifier: "LinkInput",
  examples: [{ token: "Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA", password: "correct horse battery staple" }]
})

export const ForgottenPassword = input.ForgottenPassword.annotate({
  identifier: "ForgottenPassword",
  examples: [{ email: "ada@acme.test" }]
})

export const ForgottenPasswordAnswer = Schema.Struct({
  message: text("Text for the user.", "If a user has this address, a mail is on its way.")
}).annotate({
  identifier: "ForgottenPasswordAnswer",
  description: "Response to a request for a link, the same whether or not a user has the address."
})
export type ForgottenPasswordAnswer = typeof ForgottenPasswordAnswer.Type

export const PasswordChange = input.PasswordChange.annotate({
  identifier: "PasswordChange",
  examples: [{ current_password: "correct horse battery staple", password: "incorrect zebra battery staple" }]
})

export const Session = Schema.Struct({
  id: id("session"),
  current: flag("Whether the request uses this session."),
  method: Schema.Literals(["password", "oidc", "link"]).annotate({
    description:
      "Way in which the user signed in: with a password, by an OpenID Connect provider, or by a one-time link.",
    examples: ["password"]
  }),
  created_at: dateTime("Time at which the user signed in."),
  seen_at: dateTime("Time of the last use of the session, to the minute."),
  expires_at: dateTime("Expiry of the session, if it is not used again."),
  ip_address: nullableText("IP address from which the user signed in.", "192.0.2.7"),
  user_agent: nullableText("User agent of the browser that signed in.", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
}).annotate({ identifier: "Session", description: "Session of a user in a browser." })
export type Session = typeof Session.Type

export const SessionList = Schema.Struct({
  sessions: listOf(Session, "The sessions, newest first.")
}).annotate({ identifier: "SessionList", description: "Sessions of a user." })

const linkFields = {
  url: uri(
    "One-time link that sets a password. Only this response has it.",
    "https://tapedeck.example/sign-in/link?token=Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA"
  ),
  expires_at: dateTime("Expiry of the link."),
  mail: Schema.Literals(["sent", "failed", "off"]).annotate({
    description:
      "Whether the link was mailed to the user. `failed`: the first try failed, and the mail is retried while the link is valid. `off`: mail is not set up. The link works in any case.",
    examples: ["sent"]
  })
}

export const PasswordLink = Schema.Struct(linkFields).annotate({
  identifier: "PasswordLink",
  description: "One-time link with which a user sets a password."
})
export type PasswordLink = typeof PasswordLink.Type

export const InvitedUser = Schema.Struct({
  ...User.fields,
  invitation: Schema.NullOr(PasswordLink).annotate({
    description:
      "Link with which the user sets a password; null for requests with an access token, and if sign-in with passwords is disabled."
  })
}).annotate({ identifier: "InvitedUser", description: "User who was invited." })
export type InvitedUser = typeof InvitedUser.Type
