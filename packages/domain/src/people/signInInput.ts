import * as Schema from "effect/Schema"
import { atMost, email, object, optional, text } from "../input/fields.ts"
import { accountFields } from "./accountInput.ts"
import { userFields } from "./userInput.ts"

/** Minimum number of characters of a password. */
const minPassword = 12

const newPassword = text(`New password, of at least ${minPassword} characters.`).check(
  Schema.isMinCodePoints(minPassword, { message: `must be at least ${minPassword} characters long` }),
  atMost(200)
)

export const Credentials = object(
  {
    email: text("E-mail address of the user.").annotate({ examples: ["ada@acme.test"] }),
    password: text("Password of the user.").annotate({ examples: ["correct horse battery staple"] })
  },
  "Credentials of a user."
)
export type Credentials = typeof Credentials.Type

const ofSetup = (description: string) => ({
  description: `${description} Only a link that creates a server's first admin takes it, and requires it.`
})

/** Fields of a one-time link that creates the first admin of a server, which requires them. */
export const setupFields = {
  account: accountFields.name.annotate(ofSetup("Label of the account.")),
  name: userFields.name.annotate(ofSetup("Full name of the admin.")),
  email: userFields.email.annotate(ofSetup("E-mail address of the admin."))
}

export const LinkInput = object(
  {
    token: text("Token of the link: the value of `token` in its query.").annotate({
      examples: ["Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA"]
    }),
    ...optional({
      password: newPassword.annotate({
        description: `New password, of at least ${minPassword} characters. Required, unless the link signs in without a password.`,
        examples: ["correct horse battery staple"]
      }),
      ...setupFields
    })
  },
  "A one-time link, and the password that it sets."
)
export type LinkInput = typeof LinkInput.Type

export const ForgottenPassword = object(
  { email: email("E-mail address of the user.").annotate({ examples: ["ada@acme.test"] }) },
  "A user who forgot their password."
)
export type ForgottenPassword = typeof ForgottenPassword.Type

export const PasswordChange = object(
  {
    current_password: text("Present password of the caller.").annotate({ examples: ["correct horse battery staple"] }),
    password: newPassword.annotate({ examples: ["incorrect zebra battery staple"] })
  },
  "New password of the caller."
)
export type PasswordChange = typeof PasswordChange.Type
