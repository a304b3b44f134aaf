/**
 * The key by which an e-mail address is compared: without regard to the case of ASCII letters, and of no others. Case mapping
 * beyond ASCII makes one address of two: KELVIN SIGN (U+212A) becomes `k`.
 */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
