/** People: permissions, signing in, tokens. Internal to the packages of Tapedeck: any release may change it. */

export { emailKey } from "../people/emailKey.ts"
export type { Operation, Permission } from "../people/permission.ts"
export { LinkPurpose, Password, Session, SignInLink, SignInMethod, TryWindow } from "../people/signIn.ts"
export { formatToken, isWellFormedToken, TOKEN_RANDOM_BYTES } from "../people/tokenFormat.ts"
