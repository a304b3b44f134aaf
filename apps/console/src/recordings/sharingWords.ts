import type { Settings } from "@tapedeck/client"

type Sharing = Settings.Recording["sharing"]

export const sharingNames: Readonly<Record<Sharing, string>> = {
  public: "Every person with the link",
  account: "Signed-in members of the account",
  off: "Only its owner and admins"
}

/** The notice after the address of a recording's public page was copied. */
export const linkCopied = (sharing: Sharing): string => `The link is copied. It opens for: ${sharingNames[sharing]}.`
